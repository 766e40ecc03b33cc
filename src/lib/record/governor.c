/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/governor.h"

#define FIRST_NS 10000		    /* about the cost of walking a stack that is not cached */
#define LEAST_NS 1000		    /* shorter intervals are rare: below this, record all */
#define EVERY_NS 200000000ULL	    /* between two looks: in less time too little happens to measure */
#define HARD_EVERY_NS 2000000000ULL /* likewise of a limit: what the process itself takes is known a second later */
#define AIM 0.9			    /* of the budget: the measurement lags behind */
#define RELAX 0.7		    /* of the budget: below this share, certain_ns is lowered */
#define LEAST 2.0		    /* factor of one raise, at least: its effect must be measurable */
#define MOST 8.0
#define EFFECT 0.85 /* of the share before a raise: if it stays above this, the stacks are not what costs */
#define MORE 1.25   /* times the futile share: from there on another raise may have an effect */

void governor_init(struct governor *g, double budget, unsigned int cpus)
{
	*g = (struct governor){.budget = budget, .cpus = cpus ? cpus : 1};
}

static uint64_t longer(uint64_t ns, double times, uint64_t max_ns)
{
	double to = (ns ? (double)ns : FIRST_NS) * (times < LEAST ? LEAST : times < MOST ? times : MOST);

	return to < max_ns ? (uint64_t)to : max_ns;
}

static uint64_t shorter(uint64_t ns, double times)
{
	ns = ns * (times > 1 / MOST ? times : 1 / MOST);
	return ns < LEAST_NS ? 0 : ns;
}

/*
 * The cost exceeds the budget. Raise certain_ns, unless the last raise was futile: noting sched-outs and sched-ins has
 * a cost of its own, against which a smaller sample does not help; it only makes the sums less accurate.
 */
static void exceed(struct governor *g, double share)
{
	if (!g->hard && g->before && share > g->before * EFFECT) {
		g->futile = share;
		g->certain_ns = g->certain_before_ns;
	}
	g->before = 0;
	if (g->futile && share < g->futile * MORE)
		return;
	g->futile = 0;
	g->before = share;
	g->certain_before_ns = g->certain_ns;
	g->certain_ns = longer(g->certain_ns, share / AIM, g->hard ? GOVERNOR_LIMIT_NS : GOVERNOR_MAX_NS);
}

uint64_t governor_look(struct governor *g, uint64_t cost_ns, uint64_t now_ns)
{
	double share = 0;

	if (!g->budget || (g->looked_ns && now_ns < g->looked_ns + (g->hard ? HARD_EVERY_NS : EVERY_NS)))
		return g->certain_ns;
	if (g->looked_ns && now_ns > g->looked_ns)
		share = (double)(cost_ns - g->cost_ns) / (double)(now_ns - g->looked_ns) / g->cpus / g->budget;
	if (share > 1) {
		exceed(g, share);
	} else {
		g->before = g->futile = 0;
		if (g->looked_ns && share < RELAX)
			g->certain_ns = shorter(g->certain_ns, share / AIM);
	}
	if (g->certain_ns > g->highest_ns)
		g->highest_ns = g->certain_ns;
	g->cost_ns = cost_ns;
	g->looked_ns = now_ns;
	return g->certain_ns;
}
