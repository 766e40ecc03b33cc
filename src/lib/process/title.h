/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read what processes are: their titles, which are their arguments, or what a program has put in their place
 * (setproctitle(3)); the service that they say they belong to; and which version of their program they run.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define TITLE_BYTES 200	  /* a longer title is cut; with the 0 byte at its end */
#define TITLES_AT_ONCE 64 /* processes read in one call */

#define SERVICE_BYTES 64 /* likewise */
#define CGROUP_BYTES 512
#define VERSION_BYTES 65 /* a build id in hexadecimal; mostly it has 40 digits */

struct process_title {
	uid_t uid; /* the real one: what it was before a program that runs as another user; 0 also where it cannot be read */
	char title[TITLE_BYTES];
	char service
		[SERVICE_BYTES]; /* OTEL_SERVICE_NAME in the environment with which it was executed; see loader.h, too */
	char version[VERSION_BYTES]; /* build id of the program; not of a dynamic linker that runs it */
	char cgroup[CGROUP_BYTES];   /* path of its cgroup of cgroup2, if it was asked for; a longer one is "" */
};

struct ask_child;

/*
 * Set @ret to the title of a process with the arguments @text of @bytes bytes, a 0 byte behind each, as titles_read() does;
 * @text may be all of them, or at least TITLE_BYTES from the beginning and the end together.
 */
void title_of(char ret[TITLE_BYTES], const char *text, size_t bytes);

/*
 * Read /proc/PID/cmdline, environ, exe, status and, if @cgroups, cgroup of the @nr processes @pid, at most TITLES_AT_ONCE, in the child @c (ask.h), since it waits for
 * the lock of a process's mappings, and for file systems. The arguments are separated by blanks. A process writes its own title: control
 * characters become '?'. The end is kept as well as the beginning, since compilers have the names of files there. A kernel
 * thread, a zombie, and a process that is gone or may not be read have the title "". Of the environment, 128 KiB are searched.
 * Returns 0, or an error of ask_again(): then @ret is not set.
 */
int titles_read(struct ask_child *c, const pid_t *pid, size_t nr, bool cgroups, struct process_title *ret);
