/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading a file that nobody vouches for, in a process that may do nothing else (base/sandbox.h), and that is given up
 * when it takes too long. What it has found out comes as bytes, of which the caller believes nothing. See ADR 0026.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CONFINED_PATIENCE_S 10 /* for a file; servers take the time they take */

struct confined {
	int fd;				 /* of the file, borrowed */
	const char *path;		 /* its name: debug files are looked for beside it */
	bool servers;			 /* of debug files may be asked */
	void *arg;			 /* of the two that follow */
	int (*read)(void *arg, int out); /* in that process: write what there is to @out. 0 or a negative errno */
	/* Here: take of @bytes bytes as many as are whole, and say how many, or a negative errno, which ends it. */
	ssize_t (*take)(void *arg, const char *data, size_t bytes);
	int (*stop)(void *ctx); /* called now and then; anything but 0 ends it. May be NULL */
	void *ctx;
	/* What came of it */
	bool silent; /* a server sent nothing until it was given up */
	bool late;   /* it took too long */
};

/*
 * 0: the process has ended, or was ended, and @c->take() has had what it wrote; -ECANCELED: @c->stop() said so;
 * -EOPNOTSUPP: this process cannot be confined, so the file was not read; -ENOMEM, -EAGAIN, ...; or what @c->take()
 * said.
 */
int confined_run(struct confined *c);
