/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What did it cost to follow the switches of tasks, as the recording measured it, and what was left out for that? */
#pragma once
#include <dusk/dusk.h>

struct cost {
	uint64_t switches; /* 0: they were not followed, or too few to measure */
	double ns_a_switch;
	double percent;	       /* of all CPUs; with the walks that were scheduled, also for other events */
	double budget_percent; /* 0: none was given */
	uint64_t certain_ns;   /* off-CPU intervals of so long were all taken; 0: all were */
	uint64_t intervals, left_out;
};

void cost_of(struct cost *ret, const struct dusk_profile *p);
