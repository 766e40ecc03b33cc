/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel side sends becomes rows of the profile.
 *
 *	sample, off-CPU interval -> its thread and its kernel stack; waits in join for the user stack of its cookie
 *	stack -> its node; serves all that wait for it
 *	module -> what the frames' module numbers mean
 *	charge -> a sum of off-CPU intervals that the aggregation had no room for
 *	occurrence -> its fields as text; waits as a sample does
 *	thread, life -> a thread is met, and its last CPU time is over
 */
#pragma once
#include "abi/consumer.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/record/fields.h"
#include "lib/record/join.h"

struct known_thread {
	uint32_t pid, number; /* of the profile */
};

/* An off-CPU interval that has not ended. Whose stack it is still, if the thread has not left a CPU since. */
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
	struct map whole; /* INLINE_STACK -> as stacks.h numbers them */
	struct vec(struct unended) unended;
	struct fields *fields; /* of the events that are recorded; NULL: there are none */
	uint32_t nr_events;
	int64_t lives_due; /* of threads that were met and whose end was not told; what is lost in the ring counts, too */
};

/*
 * An event of the ring, abi/event.h. 0; -EPROTO: it is none, and nothing of it was taken: the kernel side is another
 * version; or the first error of @in->join.
 */
int intake_event(struct intake *in, const void *data, size_t size);

/* A row of the aggregation, to be given the time @time_ns (CLOCK_MONOTONIC). */
void intake_row(struct intake *in, const struct aggregation_key *key, const struct aggregation_sum *sum,
		uint64_t time_ns);

/* Free what @in keeps, but not its join. */
void intake_done(struct intake *in);
