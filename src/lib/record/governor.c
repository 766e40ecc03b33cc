/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/governor.h"

#define FIRST_NS 10000	      /* about as long as a stack that is not known costs */
#define LEAST_NS 1000	      /* shorter ones are rare: then rather all */
#define EVERY_NS 200000000ULL /* it is looked at: in less time too little happens to tell */
#define AIM 0.9		      /* of the budget: what is measured lags behind */
#define RELAX 0.7	      /* of the budget: below it, more are taken */
#define LEAST 2.0	      /* times, in one look: so that its effect can be told */
#define MOST 8.0
#define EFFECT 0.85 /* of the share before: if it has not fallen below that, it is not the stacks that cost */
#define MORE 1.25   /* times what was futile: then it may be worth a try again */

void governor_init(struct governor *g, double budget, unsigned int cpus)
{
	*g = (struct governor){.budget = budget, .cpus = cpus ? cpus : 1};
}

static uint64_t longer(uint64_t ns, double times)
{
	double to = (ns ? (double)ns : FIRST_NS) * (times < LEAST ? LEAST : times < MOST ? times : MOST);

	return to < GOVERNOR_MAX_NS ? (uint64_t)to : GOVERNOR_MAX_NS;
}

static uint64_t shorter(uint64_t ns, double times)
{
	ns = ns * (times > 1 / MOST ? times : 1 / MOST);
	return ns < LEAST_NS ? 0 : ns;
}

/*
 * It costs too much. But noting when a task left and came back costs something, too, and to take still fewer off-CPU
 * intervals would not help against that, only make the sums worse.
 */
static void exceed(struct governor *g, double share)
{
	if (g->before && share > g->before * EFFECT) {
		g->futile = share;
		g->certain_ns = g->certain_before_ns;
	}
	g->before = 0;
	if (g->futile && share < g->futile * MORE)
		return;
	g->futile = 0;
	g->before = share;
	g->certain_before_ns = g->certain_ns;
	g->certain_ns = longer(g->certain_ns, share / AIM);
}

uint64_t governor_look(struct governor *g, uint64_t cost_ns, uint64_t now_ns)
{
	double share = 0;

	if (!g->budget || (g->looked_ns && now_ns < g->looked_ns + EVERY_NS))
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
