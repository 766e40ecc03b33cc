/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Check that all time of the threads is accounted for.
 *
 * A thread's time on CPU and in off-CPU intervals adds up to its life within the recording. The recorder measures lives
 * independently of off-CPU intervals, so lost intervals show up as missing time.
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
	struct time_balance_thread *threads; /* those that miss too much first, then by missing time */
	uint32_t nr_missing;		     /* threads that miss more than 0.1 % of their life: the first ones */
	uint64_t life_ns, accounted_ns;	     /* of all threads */
	uint32_t nr_states;
	struct amount *states; /* off-CPU intervals by state (dusk_state_name()) */
	bool is_sampled;       /* off-CPU intervals were sampled: off_cpu_ns comes from the thread times instead */
};

/* Free @ret with time_balance_done() in any case; that accepts all-zero. Returns 0 or -ENOMEM. */
int time_balance_init(struct time_balance *ret, const struct dusk_profile *p);
void time_balance_done(struct time_balance *a);

/* The time by which the thread's times differ from its life, in either direction. */
uint64_t time_balance_missing_ns(const struct time_balance_thread *t);
double time_balance_percent(const struct time_balance *a);
