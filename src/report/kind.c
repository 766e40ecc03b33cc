/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which samples does a view look at? See kind.h. */
#include "report/kind.h"

enum kind kind_of(const struct dusk_profile *p, enum kind wanted)
{
	if (wanted != KIND_USUAL)
		return wanted;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].source == DUSK_CPU)
			return KIND_CPU;
	return p->nr_samples ? KIND_OFF_CPU : KIND_CPU;
}

const char *state_name(uint32_t state)
{
	return state ? dusk_state_name(state - 1) : "on-cpu";
}
