/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The samples that a view counts. See time_base.h. */
#include <string.h>
#include "report/model/time_base.h"

bool time_base_has_any(const struct dusk_profile *p, enum dusk_source source)
{
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].source == source)
			return true;
	return false;
}

enum time_base time_base_of(const struct dusk_profile *p, enum time_base wanted)
{
	if (wanted != TIME_BASE_USUAL)
		return wanted;
	if (time_base_has_any(p, DUSK_CPU))
		return TIME_BASE_CPU;
	if (p->nr_samples)
		return p->samples[0].source == DUSK_EVENT ? TIME_BASE_EVENT : TIME_BASE_OFF_CPU;
	return p->nr_occurrences ? TIME_BASE_EVENT : TIME_BASE_CPU;
}

bool is_scheduler(const char *function)
{
	static const char *const prefixes[] = {"schedule",	   "__schedule",     "io_schedule",
					       "preempt_schedule", "__cond_resched", "poll_schedule_timeout"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(function, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

const char *state_name(uint32_t state)
{
	return state ? dusk_state_name(state - 1) : "on-cpu";
}
