/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Check that all time of the threads is accounted for. See time_balance.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "report/model/time_balance.h"
#include "report/model/cost.h"

#define TOLERATED 1000 /* 1/1000 of a thread's life may be missing */

uint64_t time_balance_missing_ns(const struct time_balance_thread *t)
{
	uint64_t accounted = t->on_cpu_ns + t->off_cpu_ns;

	return accounted > t->life_ns ? accounted - t->life_ns : t->life_ns - accounted;
}

double time_balance_percent(const struct time_balance *a)
{
	return a->life_ns ? 100.0 * a->accounted_ns / a->life_ns : 100;
}

/* Threads of the profile with the same TID are one here: after a change of name, and also if the TID was reused. */
static int add_lives(struct time_balance *a, const struct dusk_profile *p, struct map *row_of)
{
	a->threads = calloc((size_t)p->nr_thread_times + 1, sizeof(*a->threads));
	if (!a->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *l = &p->thread_times[i];
		struct time_balance_thread *t;
		bool fresh;
		uint32_t *row = map_at(row_of, (uint32_t)p->threads[l->thread].tid, &fresh);

		if (!row)
			return -ENOMEM;
		if (fresh)
			*row = a->nr++;
		t = &a->threads[*row];
		t->thread = l->thread;
		t->life_ns += l->end_ns - l->start_ns;
		t->on_cpu_ns += l->on_cpu_ns;
		if (a->is_sampled)
			t->off_cpu_ns += l->runnable_ns + l->blocked_ns;
	}
	return 0;
}

static void add_intervals(struct time_balance *a, const struct dusk_profile *p, const struct map *row_of)
{
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		struct amount amount = amount_of(s);
		const uint32_t *row;

		if (s->source != DUSK_OFF_CPU)
			continue;
		amount_add(&a->states[s->state], &amount);
		row = map_find(row_of, (uint32_t)p->threads[s->thread].tid);
		if (row && !a->is_sampled)
			a->threads[*row].off_cpu_ns += s->value_ns;
	}
}

/* Threads that miss more than is tolerated come first; then by missing time. */
static int compare(const void *first, const void *second)
{
	const struct time_balance_thread *a = first, *b = second;
	bool a_misses = time_balance_missing_ns(a) > a->life_ns / TOLERATED;
	bool b_misses = time_balance_missing_ns(b) > b->life_ns / TOLERATED;

	uint64_t x = time_balance_missing_ns(a), y = time_balance_missing_ns(b);

	return a_misses != b_misses ? b_misses - a_misses : (y > x) - (y < x);
}

static void add_up(struct time_balance *a)
{
	if (a->nr)
		qsort(a->threads, a->nr, sizeof(*a->threads), compare);
	for (uint32_t i = 0; i < a->nr; i++) {
		const struct time_balance_thread *t = &a->threads[i];
		uint64_t missing = time_balance_missing_ns(t);

		a->life_ns += t->life_ns;
		a->accounted_ns += missing < t->life_ns ? t->life_ns - missing : 0;
		a->nr_missing += missing > t->life_ns / TOLERATED;
	}
}

int time_balance_init(struct time_balance *ret, const struct dusk_profile *p)
{
	struct map row_of = {0}; /* tid -> row */
	struct cost cost;
	int err;

	cost_of(&cost, p);
	*ret = (struct time_balance){.is_sampled = cost.left_out};
	while (dusk_state_name(ret->nr_states))
		ret->nr_states++;
	ret->states = calloc(ret->nr_states, sizeof(*ret->states));
	err = ret->states ? add_lives(ret, p, &row_of) : -ENOMEM;
	if (!err) {
		add_intervals(ret, p, &row_of);
		add_up(ret);
	}
	map_done(&row_of);
	return err;
}

void time_balance_done(struct time_balance *a)
{
	free(steal(a->threads));
	free(steal(a->states));
}
