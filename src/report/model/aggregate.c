/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sum up samples by node of the stack tree, and nodes into their parents. See aggregate.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "report/model/label.h"
#include "report/model/aggregate.h"

struct scale {
	const struct dusk_profile *profile;
	struct amount all[2];	     /* by source */
	uint32_t *found, *place;     /* places with weight: in the order they were found; children before parents */
	struct amount *self, *total; /* by place */
	bool *met;		     /* by place */
};

void amount_add(struct amount *to, const struct amount *a)
{
	to->count += a->count;
	to->ns += a->ns;
	to->runnable_ns += a->runnable_ns;
	if (to->longest_ns < a->longest_ns)
		to->longest_ns = a->longest_ns;
}

struct amount amount_of(const struct dusk_sample *s)
{
	return (struct amount){s->count, s->value_ns, s->runnable_ns, s->count ? s->value_ns / s->count : 0};
}

/* Sort the samples by group: those of group i are samples[start[i] .. start[i + 1] - 1]. */
static void sort_by_group(struct scale *scale, const struct groups *g, uint64_t *start,
			  const struct dusk_sample **samples)
{
	const struct dusk_profile *p = scale->profile;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		start[group_of(g, &p->samples[i]) + 2]++;
	for (uint32_t i = 0; i < g->nr; i++)
		start[i + 2] += start[i + 1];
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		struct amount a = amount_of(s);

		samples[start[group_of(g, s) + 1]++] = s;
		amount_add(&scale->all[s->source == DUSK_OFF_CPU], &a);
	}
}

/*
 * List every place on the paths from the samples to the root once, children before parents.
 *
 * A path ends where it joins an earlier one. So the paths in reverse order, each from its inner end outwards, have
 * children before parents.
 */
static uint32_t list_places(struct scale *s, const struct dusk_sample *const *samples, uint64_t nr_samples)
{
	uint32_t nr = 0, done = 0, end;

	for (uint64_t i = 0; i < nr_samples; i++) {
		uint32_t at = place_of(s->profile, samples[i]);
		struct amount a = amount_of(samples[i]);

		amount_add(&s->self[at], &a);
		for (; at && !s->met[at]; at = place_parent(s->profile, at)) {
			s->met[at] = true;
			s->found[nr++] = at;
		}
	}
	for (end = nr; end > 0;) {
		uint32_t begin = end - 1;

		while (begin > 0 && place_parent(s->profile, s->found[begin - 1]) == s->found[begin])
			begin--;
		for (uint32_t i = begin; i < end; i++)
			s->place[done++] = s->found[i];
		end = begin;
	}
	return nr;
}

static int aggregate_group(struct scale *s, uint32_t group, const struct dusk_sample *const *samples,
			   uint64_t nr_samples, aggregate_fn fn, void *ctx)
{
	uint32_t nr = list_places(s, samples, nr_samples);
	struct weight w = {
		.group = group,
		.all = s->all,
		.nr = nr,
		.place = s->place,
		.self = s->self,
		.total = s->total,
	};
	int err;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = s->place[i];

		amount_add(&s->total[at], &s->self[at]);
		amount_add(&s->total[place_parent(s->profile, at)], &s->total[at]);
	}
	w.of_group = s->total[0];
	err = fn(ctx, &w);
	s->total[0] = (struct amount){0};
	for (uint32_t i = 0; i < nr; i++) {
		s->self[s->place[i]] = s->total[s->place[i]] = (struct amount){0};
		s->met[s->place[i]] = false;
	}
	return err;
}

int aggregate(const struct dusk_profile *p, const struct groups *g, aggregate_fn fn, void *ctx)
{
	size_t nr = (size_t)nr_places(p) + 1;
	_cleanup_(freep) uint64_t *start = calloc((size_t)g->nr + 2, sizeof(*start));
	_cleanup_(freep) const struct dusk_sample **samples = calloc(p->nr_samples + 1, sizeof(*samples));
	_cleanup_(freep) uint32_t *found = calloc(nr, sizeof(*found));
	_cleanup_(freep) uint32_t *place = calloc(nr, sizeof(*place));
	_cleanup_(freep) struct amount *self = calloc(nr, sizeof(*self));
	_cleanup_(freep) struct amount *total = calloc(nr, sizeof(*total));
	_cleanup_(freep) bool *met = calloc(nr, sizeof(*met));
	struct scale s = {p, {{0}}, found, place, self, total, met};
	int err = 0;

	if (!start || !samples || !found || !place || !self || !total || !met)
		return -ENOMEM;
	sort_by_group(&s, g, start, samples);
	for (uint32_t i = 0; i < g->nr && !err; i++)
		if (start[i + 1] > start[i])
			err = aggregate_group(&s, i, samples + start[i], start[i + 1] - start[i], fn, ctx);
	return err;
}
