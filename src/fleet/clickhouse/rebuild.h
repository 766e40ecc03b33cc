/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A profile in memory, of rows. They are added in this order: the ids of stacks, stacks, frames, samples, counts. */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "fleet/clickhouse/answer.h"
#include "lib/profile/read/columns.h"

/* Hashes, each once. */
struct rebuild_ids {
	struct map seen;
	uint64_t *v;
	size_t nr, room;
};

/* Samples of one time, thread, kind and outcome, over all stacks. */
struct rebuild_sum {
	uint64_t n, value, runnable;
};

struct rebuild {
	struct dusk_profile *p;
	struct strings *texts; /* of @p */
	uint64_t from_s;

	struct map frame_of, stack_of, node_of, chains; /* hashes to numbers */
	struct strings module_keys, function_keys, frame_keys, thread_keys, cgroup_keys, sum_keys;
	struct rebuild_ids stack_ids, frame_ids; /* that samples, and stacks, have */
	struct vec(uint64_t) stack_frames;	 /* for each stack how many, and then their hashes */

	PROFILE_COLUMNS(PROFILE_COLUMN_MEMBER)
	struct vec(struct rebuild_sum) sums;
	struct rebuild_sum others;
	uint32_t other_node;
	uint64_t nr_unknown; /* stacks of samples, or frames of stacks, that are not there */
	struct strings left_out_hosts;
	struct vec(uint64_t) left_out; /* rows of each of them that make no sense */
};

/* What is selected, in the order of the functions below: each takes the columns of one row. */
#define REBUILD_FRAMES                                                                                               \
	"frame, substring(build_id, 1, 256), substring(module, 1, 4096), off, is_return, substring(func, 1, 4096), " \
	"substring(image, 1, 4096), func_off, substring(file, 1, 4096), line, " REBUILD_INLINED(                     \
		"func") ", " REBUILD_INLINED("file") ", " REBUILD_INLINED("line")
/* Of a frame that anybody may have sent: one with more than fits is shown without. */
#define REBUILD_INLINED(column)                                                                            \
	"arraySlice(inl." column ", 1, if(length(arrayStringConcat(inl.func)) + length(arrayStringConcat(" \
	"inl.file)) <= 4096, 64, 0))"
#define REBUILD_STACKS "stack, frames"

/*
 * Each of these returns 0, -EBADMSG or -ENOMEM. Rows that can be read but make no sense, as any host may send them, are left out, and samples
 * that are so are counted by host.
 */
int rebuild_init(struct rebuild *b, uint64_t from_s);
int rebuild_note_stacks(struct rebuild *b, struct answer_reader *r); /* of a row for rebuild_sample() */
int rebuild_stack(struct rebuild *b, struct answer_reader *r);
int rebuild_frame(struct rebuild *b, struct answer_reader *r);
int rebuild_sample(struct rebuild *b, struct answer_reader *r); /* before its columns: toUInt32 of when it was */

/* The sum over all stacks: what of it no sample has become one of "[other stacks]", and is added to others. */
int rebuild_others(struct rebuild *b, struct answer_reader *r);
int rebuild_count(struct rebuild *b, struct answer_reader *r); /* name, value */
int rebuild_setting(struct rebuild *b, const char *key, const char *value);

/* Count @nr rows of @host that were left out. */
int rebuild_leave_out(struct rebuild *b, const char *host, uint64_t nr);

/* All of it; the profile refers to @b's memory no more. */
struct dusk_profile *rebuild_end(struct rebuild *b);
void rebuild_done(struct rebuild *b);
