/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read an untrusted file in a process that may do nothing else (base/sandbox.h), and that is killed if it takes too
 * long. Its output is bytes, which the caller must check. See ADR 0026.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CONFINED_PATIENCE_S 10 /* per file; time in which servers are asked does not count */

struct confined {
	int fd;				 /* the file, borrowed */
	const char *path;		 /* its name: debug files are searched beside it */
	pid_t pid;			 /* a process that had it mapped, perhaps in a root of its own; 0: none */
	bool servers;			 /* debuginfod servers may be asked */
	void *arg;			 /* passed to the next two */
	int (*read)(void *arg, int out); /* in that process: write the output to @out; 0 or a negative errno */
	/*
	 * Runs in the caller: consume the complete records in the @bytes bytes at @data. Returns how many bytes it
	 * consumed, or a negative errno, which ends the reading.
	 */
	ssize_t (*take)(void *arg, const char *data, size_t bytes);
	int (*stop)(void *ctx); /* called regularly; a value other than 0 ends the reading. May be NULL */
	void *ctx;
	/* Results: */
	bool silent; /* a server sent nothing until it was given up */
	bool late;   /* it took too long */
};

/*
 * Run @c->read() in a confined process and pass its output to @c->take().
 * Returns 0 (the process has ended or was killed), -ECANCELED (@c->stop() asked for it), -EOPNOTSUPP (this process
 * cannot be confined, so the file was not read), -ENOMEM, -EAGAIN, ..., or the error of @c->take().
 */
int confined_run(struct confined *c);
