/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many samples stand on each node of the stack tree, and how many above it? See weigh.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "report/label.h"
#include "report/weigh.h"

struct scale {
	const struct dusk_profile *profile;
	uint32_t *found, *place;	/* places with weight: as found, and ordered */
	uint64_t *self, *total;		/* by place */
	bool *met;			/* by place */
};

static bool selected(const struct dusk_profile *p, const struct groups *g, const struct dusk_sample *s)
{
	return g->of_thread[s->thread] != NOT_SELECTED && (!g->place_selected || g->place_selected[place_of(p, s)]);
}

/* The places of all samples, sorted by group: those of group i are places[start[i] .. start[i + 1] - 1]. */
static void sort_by_group(const struct dusk_profile *p, const struct groups *g, uint64_t *start, uint32_t *places)
{
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (selected(p, g, &p->samples[i]))
			start[g->of_thread[p->samples[i].thread] + 2]++;
	for (uint32_t i = 0; i < g->nr; i++)
		start[i + 2] += start[i + 1];
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (selected(p, g, &p->samples[i]))
			places[start[g->of_thread[p->samples[i].thread] + 1]++] = place_of(p, &p->samples[i]);
}

/*
 * List every place on the way from the samples to the root once, children before parents.
 *
 * Each way ends where it meets an earlier one, so that the ways, the last one first and each from its inner end, are in
 * the order that is wanted.
 */
static uint32_t list_places(struct scale *s, const uint32_t *samples, uint64_t nr_samples)
{
	uint32_t nr = 0, done = 0, end;

	for (uint64_t i = 0; i < nr_samples; i++) {
		uint32_t at = samples[i];

		s->self[at]++;
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

static int weigh_group(struct scale *s, uint32_t group, const uint32_t *samples, uint64_t nr_samples, uint64_t all,
		       weigh_fn fn, void *ctx)
{
	uint32_t nr = list_places(s, samples, nr_samples);
	struct weight w = {
		.group = group, .samples = nr_samples, .all = all, .nr = nr,
		.place = s->place, .self = s->self, .total = s->total,
	};
	int err;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = s->place[i];

		s->total[at] += s->self[at];
		s->total[place_parent(s->profile, at)] += s->total[at];
	}
	err = fn(ctx, &w);
	s->total[0] = 0;
	for (uint32_t i = 0; i < nr; i++) {
		s->self[s->place[i]] = s->total[s->place[i]] = 0;
		s->met[s->place[i]] = false;
	}
	return err;
}

int weigh(const struct dusk_profile *p, const struct groups *g, weigh_fn fn, void *ctx)
{
	size_t nr = (size_t)nr_places(p) + 1;
	_cleanup_(freep) uint64_t *start = calloc((size_t)g->nr + 2, sizeof(*start));
	_cleanup_(freep) uint32_t *places = calloc(p->nr_samples + 1, sizeof(*places));
	_cleanup_(freep) uint32_t *found = calloc(nr, sizeof(*found));
	_cleanup_(freep) uint32_t *place = calloc(nr, sizeof(*place));
	_cleanup_(freep) uint64_t *self = calloc(nr, sizeof(*self));
	_cleanup_(freep) uint64_t *total = calloc(nr, sizeof(*total));
	_cleanup_(freep) bool *met = calloc(nr, sizeof(*met));
	struct scale s = {p, found, place, self, total, met};
	int err = 0;

	if (!start || !places || !found || !place || !self || !total || !met)
		return -ENOMEM;
	sort_by_group(p, g, start, places);
	for (uint32_t i = 0; i < g->nr && !err; i++)
		if (start[i + 1] > start[i])
			err = weigh_group(&s, i, places + start[i], start[i + 1] - start[i], start[g->nr], fn, ctx);
	return err;
}
