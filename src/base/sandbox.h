/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process gives up what it does not need to read files that nobody vouches for: descriptors, user, capabilities,
 * paths, and all system calls but those for memory, for the descriptors that it keeps, and to exit. See
 * doc/security.md.
 */
#pragma once
#include <stddef.h>

#define SANDBOX_MEMORY_BYTES (512ULL << 20) /* more than the process has at that time */
#define SANDBOX_CPU_S 10

/*
 * For a child of fork(), with one thread. @keep: @nr descriptors that stay open, besides that of messages. @channel is
 * a socket, closed here, over which goes the descriptor by which somebody else opens files for this process: who calls
 * open() from here on waits for that (seccomp_unotify(2)).
 *
 * 0, or a negative errno: the kernel has no filter for system calls, or this process may not have one. Then it must
 * end.
 */
int sandbox_enter(const int *keep, size_t nr, int channel);

/*
 * The same before execve() of a program that reads the file @fd, and one of its own only: it may open what is installed
 * below /usr, /etc and the like (if the kernel has Landlock) and, as /proc/self/fd/N, that file. There is no filter for
 * system calls. 0 or a negative errno.
 */
int sandbox_before_exec(int fd);

/* The descriptor that came over @channel from sandbox_enter(), or a negative errno: the process has ended. */
int sandbox_receive(int channel);
