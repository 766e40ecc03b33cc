/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many off-CPU intervals can be taken, if following switches is to cost no more than a share of the CPUs?
 *
 * All that are at least so long are taken; of the shorter ones as many as there is time in them (design of the sample:
 * src/bpf/record/source_offcpu.bpf.c, take()). Then what is to be paid falls as that length grows, and where most
 * off-CPU intervals are shorter, in proportion.
 */
#pragma once
#include <stdint.h>

#define GOVERNOR_MAX_NS \
	10000000ULL /* no off-CPU interval of so long is left out: a second of off-CPU intervals is sampled 100 times or more */

struct governor {
	double budget; /* the share of all CPUs: 0.02; 0: whatever it costs */
	unsigned int cpus;
	uint64_t cost_ns, looked_ns; /* when last looked at; 0: never */
	uint64_t certain_ns;	     /* the length from which on all are taken; 0: all are */
	double before, futile;	     /* shares: when it was raised last, and at which that was no use; 0: none */
	uint64_t certain_before_ns;  /* and what it was then */
	uint64_t highest_ns;	     /* that it has been */
};

void governor_init(struct governor *g, double budget, unsigned int cpus);

/* It has cost @cost_ns from the beginning to @now_ns. Returns certain_ns from now on. As often as you like. */
uint64_t governor_look(struct governor *g, uint64_t cost_ns, uint64_t now_ns);
