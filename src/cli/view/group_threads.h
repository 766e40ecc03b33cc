/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Group threads with equal stacks: threads of one process, in one state, with the same outcome and frames. */
#pragma once
#include <dusk/unwind.h>
#include "base/map.h"
#include "base/vec.h"

#define COMM_ROOM 16

struct grouped_thread {
	pid_t tid;
	char comm[COMM_ROOM];
	uint64_t switches;
	uint32_t group, next; /* next: index + 1 of the group's next thread; 0: this is the last one */
};

struct thread_group {
	pid_t pid;
	char state;
	uint32_t outcome;
	uint32_t nr_kernel, nr_user; /* of frames: kernel, then user, from first_frame on */
	size_t first_frame;
	uint32_t nr, first, last; /* of threads: number, and indices */
};

struct thread_groups {
	bool each; /* set by the caller: each thread is a group of its own */
	struct vec(struct grouped_thread) threads;
	struct vec(struct thread_group) groups; /* after group_threads_sort(): by process, the largest first */
	struct vec(uint64_t) frames;
	struct map known; /* index of a group by its hash */
};

/* Add a thread to its group. Returns 0 or -ENOMEM. */
int group_threads_add(struct thread_groups *g, const struct dusk_thread_stack *t);
void group_threads_sort(struct thread_groups *g);
void group_threads_done(struct thread_groups *g);
