/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Turn what the kernel side sends into rows of the profile.
 *
 *	sample, off-CPU interval -> its thread and its kernel stack; waits in join for the user stack of its cookie
 *	stack -> its node; completes all that wait for it
 *	module -> what the frames' module numbers mean
 *	sum -> a sum of off-CPU intervals that the aggregation had no room for
 *	kernel stack -> an inline stack, for wakers
 *	occurrence -> its fields as text; waits as a sample does
 *	arguments -> the title of a process that begins
 *	cgroup -> its path, for the threads that come later
 *	thread, thread times -> a thread has been seen; its times, at its end
 */
#pragma once
#include "abi/consumer.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/record/fields.h"
#include "lib/record/join.h"

struct known_thread {
	uint32_t pid, number; /* of the thread in the profile */
};

/* An off-CPU interval that has not ended. Its stack can still be walked if @switches of the thread has not changed. */
struct unended {
	struct waiting waiting;
	uint64_t switches;
	pid_t pid, tid;
	uint32_t user; /* node */
	uint8_t outcome;
};

struct intake {
	struct join *join;
	struct map numbers; /* tid -> index in threads */
	struct vec(struct known_thread) threads;
	struct map inline_kernel; /* INLINE_STACK number of a kernel stack -> number of stacks.h */
	struct vec(struct unended) unended;
	struct fields *fields; /* of the recorded events; NULL: there are none */
	uint32_t nr_events;
	int64_t lives_due; /* threads that were seen, without times so far; includes those lost in the ring */
};

/*
 * Take an event of the ring, abi/event.h. Returns 0; -EPROTO: it is not valid, and nothing of it was taken: the kernel
 * side is of another version; or the first error of @in->join.
 */
int intake_event(struct intake *in, const void *data, size_t size);

/* Take a row of the aggregation, with time @time_ns (CLOCK_MONOTONIC). */
void intake_row(struct intake *in, const struct aggregation_key *key, const struct aggregation_sum *sum,
		uint64_t time_ns);

/* Free what @in keeps, but not its join. */
void intake_done(struct intake *in);
