/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Choose how many off-CPU intervals are recorded, so that following switches costs no more than a share of the CPUs.
 *
 * All intervals of at least a certain length are recorded, and of the shorter ones a sample in which each nanosecond
 * has the same chance (src/bpf/record/interval.bpf.h, interval_is_selected()). So the cost falls as that length grows: in
 * proportion, if most off-CPU intervals are shorter.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define GOVERNOR_MAX_NS \
	10000000ULL /* intervals this long are always recorded; a second of shorter ones gives 100 samples or more */
#define GOVERNOR_LIMIT_NS 1000000000ULL

struct governor {
	double budget; /* the share of all CPUs, such as 0.02; 0: no limit */
	unsigned int cpus;
	bool hard; /* the budget is a limit, whatever becomes of the sums: certain_ns goes up to GOVERNOR_LIMIT_NS */
	uint64_t cost_ns, looked_ns; /* the cost and the time at the last look; 0: never */
	uint64_t certain_ns;	     /* intervals of at least this length are all recorded; 0: all are */
	double before, futile;	     /* shares of the budget: at the last raise, and of a futile raise; 0: none */
	uint64_t certain_before_ns;  /* certain_ns before the last raise */
	uint64_t highest_ns;	     /* the highest certain_ns so far */
};

void governor_init(struct governor *g, double budget, unsigned int cpus);

/*
 * Update certain_ns: following switches has cost @cost_ns from the beginning to @now_ns. Returns certain_ns. May be
 * called as often as you like.
 */
uint64_t governor_look(struct governor *g, uint64_t cost_ns, uint64_t now_ns);
