/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files that make one profile of several share. See <dusk/dusk.h>, dusk_merge_new(). */
#pragma once
#include <dusk/dusk.h>
#include "base/keys.h"
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/profile/read/columns.h"

/* What has been merged so far. Times are by CLOCK_REALTIME, as the first part need not be the one that begins first. */
struct dusk_merge {
	struct dusk_profile *p;
	struct strings *text;
	uint32_t nr_parts, nr_left_out;
	const char *host;	     /* of the parts; "": they are of several */
	uint32_t nowhere;	     /* the cgroup of threads of which only the host is known; 0: none */
	struct dusk_merge_options o; /* its to_ns is UINT64_MAX without a bound */
	uint64_t begin_ns, end_ns;
	bool cut;     /* something lies outside of the time that is asked for */
	bool undated; /* a part does not say when it began */
	bool summing; /* there are more than o.max_sums: they become sums over o.sum_ns */
	bool alike;   /* there are more than o.max_threads: those that are alike become one */

	struct strings boots, kernels, memories;
	struct keys module_keys, function_keys, frame_keys, node_keys, cgroup_keys, thread_keys, alike_keys;
	struct map event_numbers, counter_numbers; /* by the address of the name, which is in @text once */
	struct keys sums;			   /* sum_of() */
	struct vec(uint64_t) sum_row;		   /* in @samples, of each */
	uint64_t nr_sums;			   /* of @samples; not kept any more when @summing */

	PROFILE_COLUMNS(PROFILE_COLUMN_MEMBER)
};

/* A part: where its numbers are in the result. */
struct part {
	const struct dusk_profile *p;
	const char *host; /* of what does not say its own */
	uint32_t number, boot;
	uint64_t start_ns;
	uint32_t *modules, *functions, *frames, *nodes, *cgroups, *threads, *wakers, *events, *outcomes, *counters;
	bool cut; /* some of it is outside of the time that is asked for */
};

static inline const char *merge_intern(struct dusk_merge *m, const char *text)
{
	return strings_intern(m->text, text ?: "");
}

/*
 * Add what @part has of one kind, after those above, and note its new numbers in @part. They return 0 or -ENOMEM.
 */
int merge_stacks(struct dusk_merge *m, struct part *part);
int merge_threads(struct dusk_merge *m, struct part *part);
int merge_counters(struct dusk_merge *m, struct part *part);
int merge_samples(struct dusk_merge *m, struct part *part);

/* Is there room for the outcomes of @p? */
bool merge_has_room(const struct dusk_merge *m, const struct dusk_profile *p);

/* Add @n to the counter @name. Returns 0 or -ENOMEM. */
int merge_count(struct dusk_merge *m, const char *name, const char *sentence, uint64_t n);

/* Add the sample @s, whose numbers are those of the result. Returns 0 or -ENOMEM. */
int merge_sample(struct dusk_merge *m, const struct dusk_sample *s);

/* If there are more sums, or threads, than are wanted, make fewer of them. No part is half added. They return 0 or -ENOMEM. */
int merge_reduce_sums(struct dusk_merge *m);
int merge_reduce_threads(struct dusk_merge *m);

/* Sum up again, as what sums differ by has changed. Returns 0 or -ENOMEM. */
int merge_sum_again(struct dusk_merge *m);

/* All parts are there: set hosts that are not that of all, and how many these are. Returns 0 or -ENOMEM. */
int merge_settle_hosts(struct dusk_merge *m, uint32_t *nr_hosts);

/* All parts are there: put what has a time in order, and count from @zero_ns. */
void merge_settle_times(struct dusk_merge *m, uint64_t zero_ns);
