/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Properties and order of samples, shared by the formats. */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"

/* Names of a source, by dusk_sample.source, for formats with typed values. */
struct source {
	const char *name;   /* of its time: "cpu" */
	const char *events; /* of its count: "samples" */
};

extern const struct source sources[];
extern const uint32_t nr_sources;

/* Does @p have samples of this source? If it has no samples at all, true for the first source. */
bool samples_have(const struct dusk_profile *p, uint32_t source);

/* The source of a sample; unknown ones count as the first. */
static inline uint32_t sample_source(const struct dusk_sample *s)
{
	return s->source < nr_sources ? s->source : 0;
}

/* Is this a single off-CPU interval, with a beginning and an end, not a sum? */
static inline bool sample_has_time(const struct dusk_sample *s)
{
	return s->source == DUSK_OFF_CPU && s->cpu != DUSK_NO_CPU;
}

/* The CPU, for formats that need a number: 0 if it has none. */
static inline uint32_t sample_cpu(const struct dusk_sample *s)
{
	return s->cpu == DUSK_NO_CPU ? 0 : s->cpu;
}

/* The start of an off-CPU interval: never before the recording, even in a damaged profile. */
static inline uint64_t sample_start_ns(const struct dusk_sample *s)
{
	return s->time_ns > s->value_ns ? s->time_ns - s->value_ns : 0;
}

/* The start of the recording in nanoseconds since 1970; 0 if the profile does not have it. */
uint64_t samples_start_ns(const struct dusk_profile *p);
uint64_t samples_duration_ns(const struct dusk_profile *p);

/*
 * Sort the indices of all samples by process, thread and source, then, if @by_stack, by stack and state, then by time.
 * Free *@ret with free(). Returns 0 or -ENOMEM.
 */
int samples_sort(uint64_t **ret, const struct dusk_profile *p, bool by_stack);

/* Count the samples, among the @nr >= 1 at @order, that belong to the same process, thread or stack as the first. */
uint64_t samples_of_process(const struct dusk_profile *p, const uint64_t *order, uint64_t nr);
uint64_t samples_of_thread(const struct dusk_profile *p, const uint64_t *order, uint64_t nr); /* and source */
uint64_t samples_of_stack(const struct dusk_profile *p, const uint64_t *order, uint64_t nr); /* thread, source, state */

/* The nodes of a stack, the innermost first. */
struct path vec(uint32_t);

/* Store the nodes of the stack of @node in @ret, whose memory is reused. Returns 0 or -ENOMEM. */
int path_to(struct path *ret, const struct dusk_profile *p, uint32_t node);
