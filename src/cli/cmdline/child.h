/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Start the command to be recorded when the recording has started, and wait for its end.
 *
 * It is forked before that, so that the recording knows its PID, and execs when child_start() is called.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;	/* 0: there is no process, or it has been waited for */
	int go, failed; /* pipes: to let it start; to get the errno of a failed exec */
	int status;	/* its exit status, or 128 + signal */
	int signal;	/* that ended it; 0: none */
};

/* Fork. Free @c with child_done(), which ends a process that was not started. Returns 0 or a negative errno. */
int child_fork(struct child *c, char *const *argv);
void child_done(struct child *c);

/*
 * Let it exec. Returns 0, or a negative errno if exec failed; the process has then been waited for. -EPIPE: it was killed
 * before.
 */
int child_start(struct child *c);

/* Return whether it has ended. @wait: wait for that; false is then returned only after a signal. */
bool child_ended(struct child *c, bool wait);

/* Print why exec of @name failed with @err. Returns STATUS_NOT_FOUND or STATUS_NOT_EXECUTABLE. */
int child_refused(const char *name, int err);
