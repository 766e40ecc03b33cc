/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums over windows that become sums over a longer time, when there are many. See dusk_merge_new(). */
#include <errno.h>
#include "lib/profile/combine/merge.h"

static bool is_sum(const struct dusk_sample *s)
{
	return s->cpu == DUSK_NO_CPU && !s->waker;
}

static uint64_t mean_ns(const struct dusk_sample *s)
{
	return s->value_ns / (s->count ?: 1);
}

/* Add @s to @sum, unless one row cannot hold that many. */
static bool add_up(struct dusk_sample *sum, const struct dusk_sample *s)
{
	if (__builtin_add_overflow(sum->count, s->count, &sum->count)) {
		sum->count -= s->count;
		return false;
	}
	sum->value_ns += s->value_ns;
	sum->runnable_ns += s->runnable_ns;
	return true;
}

/* The row of the sums that are as @s, of which the one with the longest mean has a row of its own; NULL: there is none so far. */
static int sum_of(struct dusk_merge *m, const struct dusk_sample *s, bool longest, struct dusk_sample **ret,
		  uint64_t **row)
{
	const struct {
		uint32_t thread, node, when; /* 136 years, as sums are over a second at least */
		uint8_t source, state, outcome, longest;
	} key = {s->thread, s->node, s->time_ns / m->o.sum_ns, s->source, s->state, s->outcome, longest};
	uint32_t number;
	bool fresh;

	if (keys_number(&m->sums, &key, sizeof(key), &number, &fresh) || (fresh && !vec_add(&m->sum_row)))
		return -ENOMEM;
	*row = &m->sum_row.v[number];
	*ret = fresh ? NULL : &m->samples.v[**row];
	return 0;
}

/* Not their times, as rows stay in order. */
static void swap_amounts(struct dusk_sample *a, struct dusk_sample *b)
{
	struct dusk_sample was_a = *a;
	uint64_t b_ns = b->time_ns;

	*a = *b;
	a->time_ns = was_a.time_ns;
	*b = was_a;
	b->time_ns = b_ns;
}

/* Views tell how long the longest was, of a sum its mean. */
static int add_sum(struct dusk_merge *m, struct dusk_sample s)
{
	struct dusk_sample *sum;
	uint64_t *row;

	if (sum_of(m, &s, true, &sum, &row))
		return -ENOMEM;
	if (sum && mean_ns(sum) == mean_ns(&s) && add_up(sum, &s))
		return 0;
	if (sum) {
		if (mean_ns(sum) < mean_ns(&s))
			swap_amounts(sum, &s);
		if (sum_of(m, &s, false, &sum, &row))
			return -ENOMEM;
		if (sum && add_up(sum, &s))
			return 0;
	}
	*row = m->samples.nr;
	return vec_push(&m->samples, s);
}

int merge_sample(struct dusk_merge *m, const struct dusk_sample *s)
{
	if (is_sum(s) && m->summing)
		return add_sum(m, *s);
	m->nr_sums += is_sum(s);
	return vec_push(&m->samples, *s);
}

/* Sum up what is there, in its place: no sum is behind any of its parts. */
int merge_sum_again(struct dusk_merge *m)
{
	size_t nr = m->samples.nr;
	int err = 0;

	keys_done(&m->sums);
	m->sum_row.nr = 0;
	m->samples.nr = 0;
	for (size_t i = 0; i < nr && !err; i++) {
		const struct dusk_sample s = m->samples.v[i];

		err = merge_sample(m, &s);
	}
	return err;
}

int merge_reduce_sums(struct dusk_merge *m)
{
	if (!m->o.sum_ns || m->summing || m->nr_sums <= m->o.max_sums)
		return 0;
	m->summing = true;
	return merge_sum_again(m);
}
