/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An SQLite VFS for a database, and its log, that are open already.
 *
 * SQLite looks up by name what belongs to a database: a log, a journal, and the files that a journal names, which it
 * may delete. Any user that can create files beside a database controls those. So this VFS looks up no names: a file
 * other than the two descriptors does not exist, and SQLite's temporary files are in memory.
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>

struct fdvfs {
	int db, wal; /* of the caller, open for as long as the connection is; @wal -1: no log */
	bool writable;

	/* private to fdvfs.c: */
	sqlite3_vfs vfs;
	char name[40];
	int error; /* errno of the last failure */
};

/*
 * Connect to the database @v->db in SQLite's exclusive mode. No locks are taken, so other users of the file are the
 * caller's concern. @v must stay in place while *@ret is open; close *@ret also on failure.
 * Returns an SQLite code.
 */
int fdvfs_open(struct fdvfs *v, sqlite3 **ret);
