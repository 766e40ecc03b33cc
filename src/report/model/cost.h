/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The measured cost of recording task switches, and what --budget left out to limit it. */
#pragma once
#include <dusk/dusk.h>

struct cost {
	uint64_t switches; /* 0: not recorded, or too few to measure */
	double ns_a_switch;
	double percent;	       /* of the time of all CPUs; includes scheduled walks, also those for other events */
	double budget_percent; /* 0: no budget */
	uint64_t certain_ns;   /* off-CPU intervals of at least this length were all recorded; 0: all were */
	uint64_t intervals, left_out;
};

void cost_of(struct cost *ret, const struct dusk_profile *p);
