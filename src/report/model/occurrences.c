/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Present the occurrences of one tracefs event as samples. See occurrences.h. */
#include "report/model/occurrences.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "report/model/event_field.h"

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

struct samples vec(struct dusk_sample);

/* A sample counts up to UINT32_MAX: what weighs more is several. */
static int add_samples(struct samples *to, const struct dusk_sample *s, uint64_t weight)
{
	struct dusk_sample part = *s;

	for (; weight; weight -= part.count) {
		part.count = weight < UINT32_MAX ? weight : UINT32_MAX;
		if (vec_push(to, part))
			return -ENOMEM;
	}
	return 0;
}

/* Does @o count, and how much? */
static bool weigh(const struct dusk_occurrence *o, const char *field, uint64_t *ret,
		  struct occurrences_weighed *weighed)
{
	*ret = 1;
	weighed->nr++;
	if (!field || (event_field_number(o->fields, field, ret) && *ret <= OCCURRENCE_MAX))
		return true;
	weighed->left_out++;
	weighed->fields = o->fields;
	return false;
}

static int set_event(struct filtered *f, const struct dusk_event *e, const char *weight)
{
	if (!weight)
		f->profile.events = (struct dusk_event *)e;
	else if (asprintf(&f->event_name, "%s by %s", e->name, weight) < 0)
		return -ENOMEM;
	else
		f->profile.events = &f->event;
	f->event.name = f->event_name;
	f->profile.nr_events = 1;
	return 0;
}

int occurrences_init(struct filtered *ret, const struct dusk_profile *p, uint32_t event, const char *weight,
		     struct occurrences_weighed *weighed)
{
	struct samples samples = {0};
	uint64_t nr = 0, weighs;
	int err = 0;

	*ret = (struct filtered){.profile = *p};
	*weighed = (struct occurrences_weighed){0};
	ret->occurrences = calloc(p->nr_occurrences + 1, sizeof(*ret->occurrences));
	if (!ret->occurrences || set_event(ret, &p->events[event], weight))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_occurrences && !err; i++) {
		const struct dusk_occurrence *o = &p->occurrences[i];

		if (o->event != event || !weigh(o, weight, &weighs, weighed))
			continue;
		err = add_samples(&samples, &o->sample, weighs);
		ret->occurrences[nr] = *o;
		ret->occurrences[nr++].event = 0;
	}
	ret->samples = samples.v;
	ret->profile.samples = ret->samples;
	ret->profile.nr_samples = samples.nr;
	ret->profile.occurrences = ret->occurrences;
	ret->profile.nr_occurrences = nr;
	return err;
}
