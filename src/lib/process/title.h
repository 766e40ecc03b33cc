/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read the titles of processes: their arguments, or what a program has put in their place (setproctitle(3)). */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define TITLE_BYTES 200	  /* a longer title is cut; with the 0 byte at its end */
#define TITLES_AT_ONCE 64 /* processes read in one call */

struct ask_child;

/*
 * Read /proc/PID/cmdline of the @nr processes @pid, at most TITLES_AT_ONCE, in the child @c (ask.h), since it waits for
 * the lock of a process's mappings. The arguments are separated by blanks. A process writes its own title: control
 * characters become '?'. The end is kept as well as the beginning, since compilers have the names of files there. A kernel
 * thread, a zombie, and a process that is gone or may not be read have the title "".
 * Returns 0, or an error of ask_again(): then @ret is not set.
 */
int titles_read(struct ask_child *c, const pid_t *pid, size_t nr, char (*ret)[TITLE_BYTES]);
