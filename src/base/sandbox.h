/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Confine a process that reads untrusted files: it gives up descriptors, its user, capabilities, paths, and all system
 * calls except those for memory, for the descriptors that it keeps, and for exit. See doc/security.md.
 */
#pragma once
#include <stddef.h>

#define SANDBOX_MEMORY_BYTES (512ULL << 20) /* beyond what the process has when it enters */
#define SANDBOX_CPU_S 10

/*
 * Confine this process, a child of fork() with one thread. The @nr descriptors in @keep stay open, besides stdin,
 * stdout and stderr. @channel is a socket over which the seccomp notification descriptor is sent
 * (base/descriptor.h), and which is closed here. From then on open() blocks until the receiver of that descriptor answers it (seccomp_unotify(2)).
 * Returns 0, or a negative errno if the kernel has no seccomp filters or this process may not install one. The process
 * must exit then.
 */
int sandbox_enter(const int *keep, size_t nr, int channel);

/*
 * Confine this process before it calls execve() for a program that reads the file @fd. The program may open what is
 * installed in /usr, /etc and the like (if the kernel has Landlock), and that file as /proc/self/fd/N. System calls are
 * not filtered.
 * Returns 0 or a negative errno.
 */
int sandbox_before_exec(int fd);
