/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which samples does a view look at: ticks of the CPU's timer, absences from the CPU, or both?
 *
 * Ticks and absences are never counted together: what they have in common is time.
 */
#pragma once
#include <dusk/dusk.h>

enum kind {
	KIND_USUAL,	/* ticks; absences of a profile that has no ticks */
	KIND_CPU,
	KIND_OFF_CPU,
	KIND_WALL,	/* both: all the time of a thread */
};

/* What @wanted means for @p: not KIND_USUAL. */
enum kind kind_of(const struct dusk_profile *p, enum kind wanted);

static inline bool kind_has(enum kind kind, enum dusk_source source)
{
	return kind == KIND_WALL || (kind == KIND_OFF_CPU) == (source == DUSK_OFF_CPU);
}

/* What a thread did: 0 is on the CPU, and then come the states of absences. */
static inline uint32_t state_of(const struct dusk_sample *s)
{
	return s->source == DUSK_CPU ? 0 : s->state + 1U;
}

/* Is this a function of the kernel's by which all who leave the CPU do so, and which thus says nothing of why? */
bool is_scheduler(const char *function);

/* "on-cpu", "sleeping"; NULL: there is no such state. */
const char *state_name(uint32_t state);
