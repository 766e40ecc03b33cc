/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does a sample stand for, when was it, and which samples belong together? */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"

/* By dusk_sample.source: a time that adds up, and what it is called where times and events have types. */
struct source {
	const char *name;   /* of the time: "cpu" */
	const char *events; /* what is counted: "samples" */
};

extern const struct source sources[];
extern const uint32_t nr_sources;

/* Does @p have samples of this source? Of the first one it is said to have some, if it has none at all. */
bool samples_have(const struct dusk_profile *p, uint32_t source);

/* A source that this version does not know counts as the first. */
static inline uint32_t sample_source(const struct dusk_sample *s)
{
	return s->source < nr_sources ? s->source : 0;
}

/* Is it one off-CPU interval, with a beginning and an end, and not a sum? */
static inline bool sample_has_time(const struct dusk_sample *s)
{
	return s->source == DUSK_OFF_CPU && s->cpu != DUSK_NO_CPU;
}

/* For formats in which a number must stand. */
static inline uint32_t sample_cpu(const struct dusk_sample *s)
{
	return s->cpu == DUSK_NO_CPU ? 0 : s->cpu;
}

/* When an off-CPU interval began: within the recording, whatever a damaged profile says. */
static inline uint64_t sample_start_ns(const struct dusk_sample *s)
{
	return s->time_ns > s->value_ns ? s->time_ns - s->value_ns : 0;
}

/* When the recording began, in nanoseconds since 1970; 0 if the profile does not say. */
uint64_t samples_start_ns(const struct dusk_profile *p);
uint64_t samples_duration_ns(const struct dusk_profile *p);

/*
 * The indices of all samples, by process, thread and source, then by time; with @by_stack by stack and state before
 * time. To be freed with free(). 0 or -ENOMEM.
 */
int samples_sort(uint64_t **ret, const struct dusk_profile *p, bool by_stack);

/* How many of the @nr indices at @order, one at least, are of the first one's... */
uint64_t samples_of_process(const struct dusk_profile *p, const uint64_t *order, uint64_t nr);
uint64_t samples_of_thread(const struct dusk_profile *p, const uint64_t *order, uint64_t nr); /* and source */
uint64_t samples_of_stack(const struct dusk_profile *p, const uint64_t *order, uint64_t nr); /* thread, source, state */

/* Nodes, the innermost first. */
struct path vec(uint32_t);

/* The nodes of a stack, to @ret, which keeps its memory for the next one. 0 or -ENOMEM. */
int path_to(struct path *ret, const struct dusk_profile *p, uint32_t node);
