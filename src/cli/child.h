/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does the command to be recorded start not a moment before the recording, and what became of it?
 *
 * It is forked at once, so that the recording knows its pid, and waits to be told to exec.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;	/* 0: there is none, or it has been waited for */
	int go, failed; /* pipes: to let it start; by which exec's errno comes back */
	int status;	/* its exit status, or 128 + signal */
};

/* 0 or a negative errno. @c is to be freed with child_done(), which kills what has not been started. */
int child_fork(struct child *c, char *const *argv);
void child_done(struct child *c);

/* Let it exec. A negative errno: exec failed, and it is gone. */
int child_start(struct child *c);

/* Has it ended? @wait: wait until it has; then only a signal makes it return false. */
bool child_ended(struct child *c, bool wait);

/* STATUS_NOT_FOUND or STATUS_NOT_EXECUTABLE, for an errno of exec; the reason is said. */
int child_refused(const char *name, int err);
