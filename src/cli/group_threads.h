/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which threads stand at the same place? Those of one process, in one state, whose stacks are equal, are one group. */
#pragma once
#include <dusk/unwind.h>
#include "base/map.h"
#include "base/vec.h"

#define COMM_ROOM 16

struct grouped_thread {
	pid_t tid;
	char comm[COMM_ROOM];
	uint64_t switches;
	uint32_t group, next; /* next: of the group, index + 1; 0: the last one */
};

struct thread_group {
	pid_t pid;
	char state;
	uint32_t outcome;
	uint32_t nr_kernel, nr_user; /* frames, one behind the other */
	size_t first_frame;
	uint32_t nr, first, last; /* threads; indices */
};

struct thread_groups {
	bool each; /* set by the caller: every thread is a group */
	struct vec(struct grouped_thread) threads;
	struct vec(struct thread_group) groups; /* after group_threads_sort(): by process, the largest first */
	struct vec(uint64_t) frames;
	struct map known; /* by the hash of a group: index */
};

/* 0 or -ENOMEM. */
int group_threads_add(struct thread_groups *g, const struct dusk_thread_stack *t);
void group_threads_sort(struct thread_groups *g);
void group_threads_done(struct thread_groups *g);
