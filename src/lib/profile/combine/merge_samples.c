/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What several profiles have counted and taken, as that of one: counters, samples, off-CPU intervals, occurrences, lives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/profile/combine/merge.h"

static uint32_t outcome_at(const struct dusk_merge *m, const char *name)
{
	uint32_t at = 0;

	while (at < m->outcomes.nr && strcmp(m->outcomes.v[at].name, name))
		at++;
	return at;
}

bool merge_has_room(const struct dusk_merge *m, const struct dusk_profile *p)
{
	size_t nr = m->outcomes.nr;

	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		nr += outcome_at(m, p->outcomes[i].name) == m->outcomes.nr;
	return nr <= UINT8_MAX + 1;
}

static int add_outcome(struct dusk_merge *m, struct part *part, uint32_t i)
{
	struct dusk_outcome to = part->p->outcomes[i];
	uint32_t at = outcome_at(m, to.name);

	part->outcomes[i] = at;
	if (at < m->outcomes.nr)
		return 0;
	to.name = merge_intern(m, to.name);
	to.sentence = merge_intern(m, to.sentence);
	return !to.name || !to.sentence ? -ENOMEM : vec_push(&m->outcomes, to);
}

/* The number of what is called @name, which is interned, in @numbers; the next one, @nr, if it is new. NULL: no memory. */
static uint32_t *number_of(struct map *numbers, const char *name, uint32_t nr, bool *fresh)
{
	uint32_t *number = map_at(numbers, (uintptr_t)name, fresh);

	if (number && *fresh)
		*number = nr;
	return number;
}

static int add_event(struct dusk_merge *m, struct part *part, uint32_t i)
{
	struct dusk_event to = {merge_intern(m, part->p->events[i].name)};
	bool fresh;
	uint32_t *number = to.name ? number_of(&m->event_numbers, to.name, m->events.nr, &fresh) : NULL;

	if (!number)
		return -ENOMEM;
	part->events[i] = *number;
	return fresh ? vec_push(&m->events, to) : 0;
}

static int count(struct dusk_merge *m, uint32_t counter, uint64_t n)
{
	uint64_t *sum = &m->counters.v[counter].value;

	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
	return 0;
}

/* Set *@ret to the counter of this name, which is 0 if it is new. */
static int counter_of(struct dusk_merge *m, const char *name, const char *sentence, uint32_t *ret)
{
	struct dusk_counter to = {merge_intern(m, name), merge_intern(m, sentence), 0};
	bool fresh;
	uint32_t *number =
		to.name && to.sentence ? number_of(&m->counter_numbers, to.name, m->counters.nr, &fresh) : NULL;

	if (!number)
		return -ENOMEM;
	*ret = *number;
	return fresh ? vec_push(&m->counters, to) : 0;
}

int merge_count(struct dusk_merge *m, const char *name, const char *sentence, uint64_t n)
{
	uint32_t counter;

	return counter_of(m, name, sentence, &counter) ?: count(m, counter, n);
}

/*
 * Counters are summed up. Of a part that is cut those are left out that are not kept by windows, as nothing says how much
 * of them belongs here.
 */
static int add_counter(struct dusk_merge *m, struct part *part, uint32_t i)
{
	const struct dusk_counter *from = &part->p->counters[i];
	bool by_windows = part->cut && part->p->nr_window_counts;
	int err = counter_of(m, from->name, from->sentence, &part->counters[i]);

	return err || by_windows ? err : count(m, part->counters[i], from->value);
}

static bool is_meant(const struct dusk_merge *m, uint64_t time_ns)
{
	return time_ns >= m->o.from_ns && time_ns < m->o.to_ns;
}

static int add_window_counts(struct dusk_merge *m, const struct part *part)
{
	const struct dusk_profile *p = part->p;

	if (vec_reserve(&m->window_counts, p->nr_window_counts))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_window_counts; i++) {
		struct dusk_window_count c = p->window_counts[i];
		uint64_t time_ns = part->start_ns + c.time_ns;

		if (!is_meant(m, time_ns))
			continue;
		c.time_ns = time_ns;
		c.counter = part->counters[c.counter];
		vec_push(&m->window_counts, c);
		if (part->cut)
			count(m, c.counter, c.value);
	}
	return 0;
}

static int add_waker(struct dusk_merge *m, struct part *part, uint32_t i)
{
	struct dusk_waker to = part->p->wakers[i];

	to.node = part->nodes[to.node];
	if (to.kind == DUSK_WAKER_TASK) {
		to.thread = part->threads[to.thread];
		to.outcome = part->outcomes[to.outcome];
	}
	part->wakers[i] = m->wakers.nr;
	return vec_push(&m->wakers, to);
}

/* Is @s, of @part, within the time that is asked for? Then it is as in the result. */
static bool take_sample(struct dusk_merge *m, const struct part *part, struct dusk_sample *s)
{
	uint64_t time_ns = part->start_ns + s->time_ns;

	if (!is_meant(m, time_ns)) {
		m->cut = true;
		return false;
	}
	s->time_ns = time_ns;
	s->thread = part->threads[s->thread];
	s->node = part->nodes[s->node];
	s->outcome = part->outcomes[s->outcome];
	s->waker = part->wakers[s->waker];
	return true;
}

static int add_samples(struct dusk_merge *m, const struct part *part)
{
	const struct dusk_profile *p = part->p;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		struct dusk_sample s = p->samples[i];

		if (take_sample(m, part, &s) && merge_sample(m, &s))
			return -ENOMEM;
	}
	if (vec_reserve(&m->occurrences, p->nr_occurrences))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_occurrences; i++) {
		struct dusk_occurrence o = p->occurrences[i];

		o.event = part->events[o.event];
		o.fields = merge_intern(m, o.fields);
		if (!o.fields)
			return -ENOMEM;
		if (take_sample(m, part, &o.sample))
			vec_push(&m->occurrences, o);
	}
	return 0;
}

static int add_thread_times(struct dusk_merge *m, const struct part *part, uint32_t i)
{
	struct dusk_thread_times to = part->p->thread_times[i];

	to.thread = part->threads[to.thread];
	to.start_ns += part->start_ns;
	to.end_ns += part->start_ns;
	return vec_push(&m->thread_times, to);
}

int merge_counters(struct dusk_merge *m, struct part *part)
{
	const struct dusk_profile *p = part->p;
	int err = 0;

	for (uint32_t i = 0; !err && i < p->nr_counters; i++)
		err = add_counter(m, part, i);
	return err ?: add_window_counts(m, part);
}

int merge_samples(struct dusk_merge *m, struct part *part)
{
	const struct dusk_profile *p = part->p;
	int err = 0;

	for (uint32_t i = 0; !err && i < p->nr_outcomes; i++)
		err = add_outcome(m, part, i);
	for (uint32_t i = 0; !err && i < p->nr_events; i++)
		err = add_event(m, part, i);
	for (uint32_t i = 1; !err && i < p->nr_wakers; i++)
		err = add_waker(m, part, i);
	err = err ?: add_samples(m, part);
	for (uint32_t i = 0; !err && !m->alike && i < p->nr_thread_times; i++)
		err = add_thread_times(m, part, i);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct dusk_sample *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Parts that come one after the other are in order already. */
static void sort_samples(struct dusk_merge *m)
{
	for (size_t i = 1; i < m->samples.nr; i++) {
		if (by_time(&m->samples.v[i - 1], &m->samples.v[i]) > 0) {
			qsort(m->samples.v, m->samples.nr, sizeof(*m->samples.v), by_time);
			return;
		}
	}
}

static int counted_before(const void *a, const void *b)
{
	const struct dusk_window_count *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

void merge_settle_times(struct dusk_merge *m, uint64_t zero_ns)
{
	if (m->cut)
		m->thread_times.nr = 0; /* of whole parts only */
	sort_samples(m);
	if (m->window_counts.nr)
		qsort(m->window_counts.v, m->window_counts.nr, sizeof(*m->window_counts.v), counted_before);
	for (size_t i = 0; i < m->samples.nr; i++)
		m->samples.v[i].time_ns -= zero_ns;
	for (size_t i = 0; i < m->occurrences.nr; i++)
		m->occurrences.v[i].sample.time_ns -= zero_ns;
	for (size_t i = 0; i < m->window_counts.nr; i++)
		m->window_counts.v[i].time_ns -= zero_ns;
	for (size_t i = 0; i < m->thread_times.nr; i++) {
		m->thread_times.v[i].start_ns -= zero_ns;
		m->thread_times.v[i].end_ns -= zero_ns;
	}
}
