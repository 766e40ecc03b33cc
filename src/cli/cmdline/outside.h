/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Run an external program on an untrusted file: confined, not as root, and without access to other files. */
#pragma once

#define OUTSIDE_PATH_BYTES 32

/*
 * Confine a child of fork() before it execs @program: its output goes to @out. Stores in @ret a path by which it can
 * open @fd, since the file's own name could lead to another file by now. Does not return on failure: the exit status is
 * then STATUS_NOT_FOUND if $PATH has no such program, else STATUS_NOT_EXECUTABLE.
 */
void outside_confine(const char *program, int out, int fd, char ret[OUTSIDE_PATH_BYTES]);
