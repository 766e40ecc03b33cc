/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a recorder may spend beside samples and stacks: names of processes, files of modules and of JITs are looked for as long as it
 * keeps to its share of CPU time. Samples and stacks are taken in any case; so when these alone take more, all else is left out.
 */
#pragma once
#include "base/budget.h"

#define ALLOWANCE_NS 10000000000ULL /* the share holds over this time: so long it may be saved up, and spent at once */

/* All-zero: there is no limit. */
struct allowance {
	uint64_t whole_ns; /* CPU time of ALLOWANCE_NS */
	uint64_t used_ns;  /* at the last look */
	struct budget spent_ns;
};

/* From @now_ns on, when @used_ns have been used, there is @share of @cpus; 0: no limit. */
void allowance_begin(struct allowance *a, double share, unsigned int cpus, uint64_t used_ns, uint64_t now_ns);

/* The recorder has used @used_ns of CPU time up to @now_ns: how much may it spend, if it leaves @reserve, a part from 0 to 1, of the whole? */
uint64_t allowance_left(struct allowance *a, double reserve, uint64_t used_ns, uint64_t now_ns);
