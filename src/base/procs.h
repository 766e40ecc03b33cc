/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processes and what they have created, as /proc shows them, with the numbers of its PID namespace. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "base/vec.h"

struct pids vec(pid_t);

/* Return the process of thread @tid, which is @tid itself if it is the main thread; or -ESRCH: there is no such thread. */
pid_t procs_of_thread(pid_t tid);

/*
 * Return the state of thread @tid of @pid, a letter of /proc/PID/stat, and set *@kernel: is it one of the kernel's?
 * Returns 0 if there is no such thread.
 */
char procs_state(pid_t pid, pid_t tid, bool *kernel);

/* Has thread @tid memory of its own? The kernel's threads have none, nor has one that is about to end. */
bool procs_has_memory(pid_t tid);

/*
 * Append to @pids all processes that these have created and that live, and so on. Processes appear and end meanwhile:
 * a child is missed if its parent ends, or if it is created behind our back. So repeat it until nothing is new, with
 * something in place that notes births. Free @pids with vec_done(). Returns 0 or a negative errno.
 */
int procs_add_children(struct pids *pids);

/*
 * Append to @tids the threads in the cgroup that is this folder of cgroup2, and below. Those that come meanwhile may be missed.
 * Returns 0 or a negative errno.
 */
int procs_add_cgroup(struct pids *tids, const char *folder);
