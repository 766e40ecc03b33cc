/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taken, stored, lost. See balance.h; src/abi/counter.h has the equations of the counters. */
#include "report/model/balance.h"
#include <string.h>

/* By what a counter adds to what was taken, to what sampling added, and to what was lost. */
static const struct term {
	enum dusk_source source;
	const char *name;
	int taken, added, lost;
} terms[] = {
	{DUSK_CPU, "samples", 1, 0, 0},
	{DUSK_CPU, "lost-samples", 0, 0, 1},
	{DUSK_OFF_CPU, "offcpu-intervals", 1, 0, 0},
	{DUSK_OFF_CPU, "offcpu-unended", 1, 0, 0},
	{DUSK_OFF_CPU, "offcpu-stood-for", 0, 1, 0},
	{DUSK_OFF_CPU, "offcpu-sampled-out", 0, -1, 0},
	{DUSK_OFF_CPU, "lost-offcpu", 0, 0, 1},
};

static void add(struct balance *b, enum dusk_source source, const char *name, uint64_t value)
{
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
		if (terms[i].source == source && !strcmp(terms[i].name, name)) {
			b->taken += value * terms[i].taken;
			b->added += (int64_t)value * terms[i].added;
			b->lost += value * terms[i].lost;
		}
}

static void store(struct balance *b, const struct dusk_profile *p, enum dusk_source source, uint64_t from_ns,
		  uint64_t to_ns)
{
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (s->source == source && s->time_ns >= from_ns && s->time_ns < to_ns)
			b->stored += s->count;
	}
	b->missing = b->taken + b->added - b->stored - b->lost;
}

bool balance_of(struct balance *ret, const struct dusk_profile *p, enum dusk_source source)
{
	bool known = false;

	*ret = (struct balance){0};
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		known |= !strcmp(p->counters[i].name, source == DUSK_CPU ? "samples" : "offcpu-intervals");
		add(ret, source, p->counters[i].name, p->counters[i].value);
	}
	store(ret, p, source, 0, UINT64_MAX);
	return known;
}

void balance_between(struct balance *ret, const struct dusk_profile *p, enum dusk_source source, uint64_t from_ns,
		     uint64_t to_ns)
{
	*ret = (struct balance){0};
	for (uint64_t i = 0; i < p->nr_window_counts; i++) {
		const struct dusk_window_count *c = &p->window_counts[i];

		if (c->time_ns >= from_ns && c->time_ns < to_ns)
			add(ret, source, p->counters[c->counter].name, c->value);
	}
	store(ret, p, source, from_ns, to_ns);
}
