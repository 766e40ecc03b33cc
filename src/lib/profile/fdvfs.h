/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SQLite on descriptors: a database, and its log, that are open already.
 *
 * SQLite looks for what belongs to a database by its name: a log, a journal, and the files that a journal names, which
 * it may delete. Who may create a file beside a database chooses those. So it gets no names: what is not one of the two
 * descriptors does not exist, and what it needs for itself is memory.
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>

struct fdvfs {
	int db, wal; /* the caller's, open for as long as the connection; @wal -1: there is none */
	bool writable;

	/* of fdvfs.c: */
	sqlite3_vfs vfs;
	char name[40];
	int error; /* errno of what failed last */
};

/*
 * Connect to what @v->db is, in SQLite's exclusive mode: nobody is asked whether he uses the file, so who else does is
 * the caller's business. @v must stay where it is while *@ret is open, which is to be closed in any case. An SQLite
 * code.
 */
int fdvfs_open(struct fdvfs *v, sqlite3 **ret);
