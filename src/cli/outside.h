/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does somebody else's program read a file that nobody vouches for? As nobody, and no other file. */
#pragma once

#define OUTSIDE_PATH_BYTES 32

/*
 * In a child of fork(), before it becomes @program: its output goes to @out, and @ret is what it knows @fd by, as a
 * name could lead to another file by now. Does not return if that cannot be: the exit status is STATUS_NOT_FOUND where
 * $PATH has no such program, else STATUS_NOT_EXECUTABLE.
 */
void outside_confine(const char *program, int out, int fd, char ret[OUTSIDE_PATH_BYTES]);
