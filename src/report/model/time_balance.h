/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is all the time of the threads accounted for?
 *
 * For each thread the time that its off-CPU intervals took, and that it had a CPU, come to its life within the
 * recording. The recorder keeps lives without regard to off-CPU intervals, so that what was lost shows here.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/aggregate.h"

struct time_balance_thread {
	uint32_t thread; /* of the profile */
	uint64_t life_ns, on_cpu_ns, off_cpu_ns;
};

struct time_balance {
	uint32_t nr;
	struct time_balance_thread *threads; /* the one that misses most first */
	uint32_t nr_missing;		     /* the first ones, which miss more than 0.1 % of their life */
	uint64_t life_ns, accounted_ns;	     /* of all */
	uint32_t nr_states;
	struct amount *states; /* off-CPU intervals by state (dusk_state_name()) */
	bool is_sampled;       /* off-CPU intervals are: time off CPU is what the threads' lives say */
};

/* All-zero is one that was not made. 0 or -ENOMEM; to be freed with time_balance_done() in either case. */
int time_balance_init(struct time_balance *ret, const struct dusk_profile *p);
void time_balance_done(struct time_balance *a);

/* What is too much, or too little. */
uint64_t time_balance_missing_ns(const struct time_balance_thread *t);
double time_balance_percent(const struct time_balance *a);
