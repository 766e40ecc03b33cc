/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do an ELF file and its debug information say?
 *
 * libelf and libdw read them, in a process of their own that may do nothing else (confined.h): they map files, which
 * somebody may cut short meanwhile (SIGBUS), and were not written for files that lie. What it found before it died is
 * kept. See ADRs 0017 and 0026.
 */
#pragma once
#include "lib/symbols/symfile.h"

struct elfread {
	int fd;			 /* of the file, borrowed */
	const char *path;	 /* debug files are looked for beside it */
	const uint64_t *offsets; /* in the file, of the code whose units are wanted */
	size_t nr;
	bool lines;		/* false: no debug information, names only */
	bool no_servers;	/* of debug files are asked */
	int (*stop)(void *ctx); /* called now and then; anything but 0 ends it. May be NULL */
	void *ctx;
	/* What came of it */
	bool silent; /* a server sent nothing until it was given up */
	bool late;   /* it took too long */
};

/*
 * Add to @s what @e asks for and @s lacks. 0, also when the file makes no sense: symfile_has_file() and symfile_end()
 * tell how far it went. -ECANCELED: stopped; -EOPNOTSUPP: no process can be confined here; -ENOMEM, -EAGAIN, ...: none
 * could be made.
 */
int elfread(struct symfile *s, struct elfread *e);

/* What the child writes, to @out; for tests that want it in their own process. 0 or a negative errno. */
int elfread_write(const struct symfile *known, const struct elfread *e, int out);
