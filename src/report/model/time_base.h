/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which samples does a view look at: ticks of the CPU's timer, off-CPU intervals, both, or the occurrences of an event?
 *
 * Ticks and off-CPU intervals are never counted together: what they have in common is time. Of that occurrences have
 * none (occurrences.h).
 */
#pragma once
#include <dusk/dusk.h>

enum time_base {
	TIME_BASE_USUAL, /* ticks; off-CPU intervals of a profile that has no ticks; occurrences of one that has neither */
	TIME_BASE_CPU,
	TIME_BASE_OFF_CPU,
	TIME_BASE_WALL,	 /* both: all the time of a thread */
	TIME_BASE_EVENT, /* occurrences of an event */
};

/* What @wanted means for @p: not TIME_BASE_USUAL. */
enum time_base time_base_of(const struct dusk_profile *p, enum time_base wanted);

static inline bool time_base_has(enum time_base kind, enum dusk_source source)
{
	if (source == DUSK_EVENT || kind == TIME_BASE_EVENT)
		return source == DUSK_EVENT && kind == TIME_BASE_EVENT;
	return kind == TIME_BASE_WALL || (kind == TIME_BASE_OFF_CPU) == (source == DUSK_OFF_CPU);
}

/* Are these counted? Else they add up by time. */
static inline bool kind_counts(enum time_base kind)
{
	return kind == TIME_BASE_CPU || kind == TIME_BASE_EVENT;
}

/* What a thread did: 0 is on the CPU, and then come the states of off-CPU intervals. */
static inline uint32_t state_of(const struct dusk_sample *s)
{
	return s->source == DUSK_OFF_CPU ? s->state + 1U : 0;
}

/* Is this a function of the kernel's by which all who leave the CPU do so, and which thus says nothing of why? */
bool is_scheduler(const char *function);

/* "on-cpu", "sleeping"; NULL: there is no such state. */
const char *state_name(uint32_t state);
