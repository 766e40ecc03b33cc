/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is all the time of the threads accounted for?
 *
 * For each thread the time that its absences took, and that it had a CPU, come to its life within the recording. The
 * recorder keeps lives without regard to absences, so that what was lost shows here.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/aggregate.h"

struct account_thread {
	uint32_t thread;		/* of the profile */
	uint64_t life_ns, on_cpu_ns, off_cpu_ns;
};

struct account {
	uint32_t nr;
	struct account_thread *threads;	/* the one that misses most first */
	uint32_t nr_missing;		/* the first ones, which miss more than 0.1 % of their life */
	uint64_t life_ns, accounted_ns;	/* of all */
	uint32_t nr_states;
	struct amount *states;		/* absences by state (dusk_state_name()) */
	bool is_sampled;		/* absences are: time off CPU is what the threads' lives say */
};

/* All-zero is one that was not made. 0 or -ENOMEM; to be freed with account_done() in either case. */
int account_init(struct account *ret, const struct dusk_profile *p);
void account_done(struct account *a);

/* What is too much, or too little. */
uint64_t account_missing_ns(const struct account_thread *t);
double account_percent(const struct account *a);
