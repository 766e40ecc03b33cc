/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Off-CPU intervals, and sums of them. See intervals.h. */
#include "lib/record/intervals.h"
#include <errno.h>
#include <string.h>

/* What the intervals of a sum have in common. */
struct interval_key {
	uint32_t thread, user, kernel;
	uint8_t outcome, state;
	uint8_t unused[2]; /* all bytes count */
};

struct interval_sum {
	uint64_t ns, runnable_ns, last_ns;
	uint32_t count;
};

static void write_row(struct intervals *s, const struct interval_key *k, const struct interval_sum *sum, uint32_t cpu)
{
	struct waiting w = {
		.sample =
			{
				.time_ns = join_time(s->join, sum->last_ns),
				.value_ns = sum->ns,
				.runnable_ns = sum->runnable_ns,
				.thread = k->thread,
				.count = sum->count,
				.cpu = cpu,
				.source = DUSK_OFF_CPU,
				.state = k->state,
			},
		.kernel_stack = k->kernel,
	};

	join_sample(s->join, &w, k->user, k->outcome);
}

static void add_to_sum(struct intervals *s, const struct interval_key *k, const struct interval_sum *one)
{
	struct interval_sum *sum;
	uint32_t number;
	bool fresh;

	if (strings_number(&s->keys, k, sizeof(*k), &number, &fresh) ||
	    (fresh && vec_push(&s->sums, (struct interval_sum){0}))) {
		s->join->failed = -ENOMEM;
		return;
	}
	sum = &s->sums.v[number];
	sum->ns += one->ns;
	sum->runnable_ns += one->runnable_ns;
	sum->last_ns = one->last_ns;
	sum->count++;
}

void intervals_add(struct intervals *s, uint32_t thread, const struct switch_interval *i)
{
	const struct interval_key k = {
		.thread = thread,
		.user = i->stack.user,
		.kernel = i->stack.kernel,
		.outcome = i->stack.outcome,
		.state = i->state,
	};
	uint64_t ns = i->end_ns - i->begin_ns;
	const struct interval_sum one = {
		.ns = ns,
		.runnable_ns = i->state == OFFCPU_PREEMPTED || i->state == OFFCPU_BORN ? ns : 0,
		.last_ns = i->end_ns,
		.count = 1,
	};

	if (ns < s->min_ns)
		add_to_sum(s, &k, &one);
	else
		write_row(s, &k, &one, i->cpu < DUSK_NO_CPU ? i->cpu : 0);
}

void intervals_sum_up(struct intervals *s)
{
	for (size_t i = 0; i < s->sums.nr; i++) {
		struct interval_key k;

		memcpy(&k, strings_text(&s->keys, i), sizeof(k)); /* which is not aligned */
		write_row(s, &k, &s->sums.v[i], DUSK_NO_CPU);
	}
	s->sums.nr = 0;
	strings_done(&s->keys);
}

void intervals_done(struct intervals *s)
{
	vec_done(&s->sums);
	strings_done(&s->keys);
}
