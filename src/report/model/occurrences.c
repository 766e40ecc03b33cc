/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Present the occurrences of one tracefs event as samples. See occurrences.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report/model/occurrences.h"

int64_t occurrences_find(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_events; i++)
		if (!strcmp(p->events[i].name, name))
			return i;
	return -ENOENT;
}

int64_t occurrences_only(const struct dusk_profile *p)
{
	for (uint64_t i = 1; i < p->nr_occurrences; i++)
		if (p->occurrences[i].event != p->occurrences[0].event)
			return -E2BIG;
	return p->nr_occurrences ? (int64_t)p->occurrences[0].event : -ENOENT;
}

int occurrences_init(struct filtered *ret, const struct dusk_profile *p, uint32_t event)
{
	uint64_t nr = 0;

	*ret = (struct filtered){.profile = *p};
	ret->samples = calloc(p->nr_occurrences + 1, sizeof(*ret->samples));
	ret->occurrences = calloc(p->nr_occurrences + 1, sizeof(*ret->occurrences));
	if (!ret->samples || !ret->occurrences)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_occurrences; i++) {
		const struct dusk_occurrence *o = &p->occurrences[i];

		if (o->event != event)
			continue;
		ret->samples[nr] = o->sample;
		ret->occurrences[nr] = *o;
		ret->occurrences[nr++].event = 0;
	}
	ret->profile.samples = ret->samples;
	ret->profile.occurrences = ret->occurrences;
	ret->profile.nr_samples = ret->profile.nr_occurrences = nr;
	ret->profile.events = &p->events[event];
	ret->profile.nr_events = 1;
	return 0;
}
