/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "report/model/cost.h"
#include <stdlib.h>
#include <string.h>

static uint64_t counter(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			return p->counters[i].value;
	return 0;
}

static double setting(const struct dusk_profile *p, const char *key)
{
	const char *value = dusk_profile_setting(p, key);

	return value ? strtod(value, NULL) : 0;
}

void cost_of(struct cost *ret, const struct dusk_profile *p)
{
	double cpu_ns = setting(p, "duration_ns") * setting(p, "cpus");
	uint64_t switch_ns = counter(p, "switch-ns");

	*ret = (struct cost){
		.switches = counter(p, "switches"),
		.intervals = counter(p, "offcpu-intervals"),
		.left_out = counter(p, "offcpu-sampled-out"),
		.budget_percent = setting(p, "budget") * 100,
		.certain_ns = setting(p, "certain_ns"),
	};
	if (ret->switches)
		ret->ns_a_switch = (double)switch_ns / ret->switches;
	if (cpu_ns > 0)
		ret->percent = 100.0 * (switch_ns + counter(p, "walk-ns")) / cpu_ns;
}
