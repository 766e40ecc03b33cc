/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Run dusk for a request, and read what it writes.
 *
 * A process each: what a request needs of memory and time ends with it, and a limit of either cannot be passed. Only a
 * few run at a time, at a low priority; others wait.
 */
#pragma once
#include <sys/types.h>

#define RUN_SAID_BYTES 2048

struct run;

/*
 * Start the program @dusk with @words, the first of which is its name and the last NULL. Free *@ret with run_free().
 * Returns 0; -EBUSY: too many run, and none has ended for a while; or a negative errno.
 */
int run_new(struct run **ret, const char *dusk, const char *const *words);

/* The same for what takes a moment only, one at a time: it does not wait for those that take long. */
int run_brief(struct run **ret, const char *dusk, const char *const *words);

/* Wait for output. Returns its size, at most @room; 0: it has ended in order; -ETIMEDOUT; or -EIO: it has failed. */
ssize_t run_read(struct run *r, void *buffer, size_t room);

/* What it has written to stderr until now, at most RUN_SAID_BYTES - 1 bytes. */
void run_said(struct run *r, char ret[RUN_SAID_BYTES]);

/* Its exit status when run_read() has returned 0 or an error; 128 + signal if it was killed. */
int run_status(const struct run *r);

/* Kill all that run, and start no more: -EBUSY. */
void run_stop_all(void);

/* Kill it if it runs. */
void run_free(struct run *r);
