/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The samples that a view counts: ticks of the CPU's timer, off-CPU intervals, both, or the occurrences of an event.
 *
 * Ticks and off-CPU intervals are never counted together; views of both add up their times. Occurrences have no time
 * (occurrences.h).
 */
#pragma once
#include <dusk/dusk.h>

enum time_base {
	TIME_BASE_USUAL, /* the default: ticks; without these, off-CPU intervals; without either, occurrences */
	TIME_BASE_CPU,
	TIME_BASE_OFF_CPU,
	TIME_BASE_WALL,	 /* both: all the time of a thread */
	TIME_BASE_EVENT, /* occurrences of an event */
};

/* Return @wanted, with TIME_BASE_USUAL replaced by what it means for @p. */
enum time_base time_base_of(const struct dusk_profile *p, enum time_base wanted);

static inline bool time_base_has(enum time_base kind, enum dusk_source source)
{
	if (source == DUSK_EVENT || kind == TIME_BASE_EVENT)
		return source == DUSK_EVENT && kind == TIME_BASE_EVENT;
	return kind == TIME_BASE_WALL || (kind == TIME_BASE_OFF_CPU) == (source == DUSK_OFF_CPU);
}

/* Are there samples of @source? */
bool time_base_has_any(const struct dusk_profile *p, enum dusk_source source);

/* Are samples of @kind counted? Otherwise their times are added up. */
static inline bool kind_counts(enum time_base kind)
{
	return kind == TIME_BASE_CPU || kind == TIME_BASE_EVENT;
}

/* The state of a thread: 0 is on CPU, the next ones are those of off-CPU intervals. */
static inline uint32_t state_of(const struct dusk_sample *s)
{
	return s->source == DUSK_OFF_CPU ? s->state + 1U : 0;
}

/* Is this a scheduler function that appears in every off-CPU stack? */
bool is_scheduler(const char *function);

/* The name of @state, "on-cpu", "sleeping", ...; NULL: there is no such state. */
const char *state_name(uint32_t state);
