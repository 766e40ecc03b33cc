/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read an ELF file and its debug information into a symfile.
 *
 * libelf and libdw read them in a confined process (confined.h): they map files, which may be truncated meanwhile
 * (SIGBUS), and they were not written for hostile files. What was read before a crash is kept. See ADRs 0017 and 0026.
 */
#pragma once
#include "lib/symbols/symfile.h"

struct elfread {
	int fd;			 /* the file, borrowed */
	const char *path;	 /* debug files are searched beside it */
	pid_t pid;		 /* a process that had it mapped: its root may be the one of @path; 0: none */
	const uint64_t *offsets; /* file offsets of code; the units of it are wanted */
	size_t nr;
	bool lines;		/* false: no debug information, names only */
	bool no_servers;	/* do not ask debuginfod servers */
	int (*stop)(void *ctx); /* called regularly; a value other than 0 ends the reading. May be NULL */
	void *ctx;
	/* Results: */
	bool silent; /* a server sent nothing until it was given up */
	bool late;   /* it took too long */
};

/*
 * Add to @s what @e requests and @s lacks.
 * Returns 0, also for an invalid file: symfile_has_file() and symfile_end() say how far it was read. -ECANCELED:
 * stopped; -EOPNOTSUPP: no process can be confined here; -ENOMEM, -EAGAIN, ...: no process could be created.
 */
int elfread(struct symfile *s, struct elfread *e);

/* Write what the child writes to @out; tests call it in their own process. Returns 0 or a negative errno. */
int elfread_write(const struct symfile *known, const struct elfread *e, int out);
