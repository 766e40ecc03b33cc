/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "intervals.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATE_PREEMPTED 0
#define ROUNDING_NS 1000

void truths_read(const char *path, struct truths *ret)
{
	FILE *f = fopen(path, "r");
	uint64_t exec_ns = 0;
	char line[256];

	assert_non_null(f);
	for (ret->nr = 0; fgets(line, sizeof(line), f); ret->nr++) {
		struct truth *t = &ret->line[ret->nr];

		assert_true(ret->nr < sizeof(ret->line) / sizeof(ret->line[0]));
		*t = (struct truth){0};
		if (sscanf(line, "life %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &t->tid, &t->ns,
			   &t->cpu_ns, &t->runnable_ns, &t->preemptions, &t->preempted_ns) == 6)
			strcpy(t->function, "life");
		else if (sscanf(line, "%63s %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, t->function,
				&t->tid, &t->ns, &t->runnable_ns, &t->sleeps, &t->preemptions, &t->preempted_ns) == 7)
			t->has_counts = true;
		else if (sscanf(line, "exec 0 %" SCNu64 " -", &exec_ns) == 1)
			ret->nr--;
		else if (sscanf(line, "%63s %d %" SCNu64 " -", t->function, &t->tid, &t->ns) != 3)
			fail_msg("not a line of the truth: %s", line);
	}
	fclose(f);
	for (size_t i = 0; i < ret->nr; i++)
		ret->line[i].more_ns = ret->line[i].has_counts ? 0 : exec_ns;
	assert_true(ret->nr > 0);
}

bool within(uint64_t a, uint64_t b, uint64_t millionths, uint64_t more_ns)
{
	uint64_t off = a > b ? a - b : b - a;

	return off <= more_ns || (off - more_ns) * 1000000.0 <= (double)b * millionths;
}

/* Which nodes are in @function, or below it? By node; to be freed. Callers come before what they call. */
static bool *nodes_below(const struct dusk_profile *p, const char *function)
{
	bool *below = calloc(p->nr_nodes + 1, sizeof(*below));

	assert_non_null(below);
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		const struct dusk_frame *f = &p->frames[p->nodes[i].frame];

		below[i] =
			below[p->nodes[i].parent] || (f->function && !strcmp(p->functions[f->function].name, function));
	}
	return below;
}

static bool is_away(const struct dusk_profile *p, const struct dusk_sample *s, pid_t tid)
{
	return s->source == DUSK_OFF_CPU && (!tid || p->threads[s->thread].tid == tid);
}

/*
 * The thread was somewhere, and dusk says why it does not know where: another thread has the lock of the mappings, and
 * on a busy machine may not run for long; or meanwhile a page is not there, of which a machine that is idle takes back
 * some. In mode copied, samples of stacks get lost on a busy machine, while records of switches do not.
 */
static bool is_anywhere(const struct dusk_profile *p, const struct dusk_sample *s, pid_t tid)
{
	const char *outcome = live_outcome(p, s);

	return tid && (!strcmp(outcome, "mappings-busy") || !strcmp(outcome, "page-not-safe") ||
		       !strcmp(outcome, "not-sampled"));
}

struct away away_in(const struct dusk_profile *p, pid_t tid, const char *function)
{
	bool *below = function ? nodes_below(p, function) : NULL;
	struct away a = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!is_away(p, s, tid))
			continue;
		if (below && !below[s->node]) {
			if (is_anywhere(p, s, tid)) {
				a.anywhere += s->count;
				a.anywhere_ns += s->value_ns;
			}
			continue;
		}
		if (live_class(p, s) != DUSK_COMPLETE) {
			a.cut++;
			a.why_cut = p->outcomes[s->outcome].name;
		}
		a.ns += s->value_ns;
		a.runnable_ns += s->runnable_ns;
		*(s->state == STATE_PREEMPTED ? &a.preemptions : &a.sleeps) += s->count;
		a.rows++;
	}
	free(below);
	return a;
}

/* From main inwards there may be more or less than @a of what is called in the function, but not else. */
char *away_sentence(const struct dusk_profile *p, pid_t tid, const char *function)
{
	static struct live_stack stack;
	bool *below = nodes_below(p, function);
	char *text = NULL, *other, *end;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!is_away(p, s, tid) || !below[s->node] || live_class(p, s) != DUSK_COMPLETE)
			continue;
		live_user_stack(p, s->node, &stack);
		other = live_sentence(&stack);
		end = strstr(other, function);
		assert_non_null(end);
		end[strlen(function)] = 0;
		if (text && strcmp(text, other))
			fail_msg("two stacks: %s, and %s", text, other);
		free(text);
		text = other;
	}
	free(below);
	return text;
}

struct sums {
	pid_t tid;
	uint64_t life, on_cpu, runnable, blocked, intervals;
	uint64_t rows_runnable, rows_blocked, rows_intervals;
};

static int by_tid(const void *a, const void *b)
{
	const struct sums *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* A thread id that was used again is one. Sorted; to be freed. */
static struct sums *sum_lives(const struct dusk_profile *p, size_t *ret_nr)
{
	struct sums *all = calloc(p->nr_thread_times + 1, sizeof(*all));
	size_t nr = 0;

	assert_non_null(all);
	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *l = &p->thread_times[i];

		all[i] = (struct sums){p->threads[l->thread].tid,
				       l->end_ns - l->start_ns,
				       l->on_cpu_ns,
				       l->runnable_ns,
				       l->blocked_ns,
				       l->intervals};
		assert_true(l->end_ns >= l->start_ns);
	}
	qsort(all, p->nr_thread_times, sizeof(*all), by_tid);
	for (size_t i = 0; i < p->nr_thread_times; i++) {
		if (nr && all[nr - 1].tid == all[i].tid) {
			all[nr - 1].life += all[i].life;
			all[nr - 1].on_cpu += all[i].on_cpu;
			all[nr - 1].runnable += all[i].runnable;
			all[nr - 1].blocked += all[i].blocked;
			all[nr - 1].intervals += all[i].intervals;
		} else {
			all[nr++] = all[i];
		}
	}
	*ret_nr = nr;
	return all;
}

static void add_rows(const struct dusk_profile *p, struct sums *all, size_t nr)
{
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		struct sums key = {p->threads[s->thread].tid}, *sums;

		if (s->source != DUSK_OFF_CPU)
			continue;
		sums = bsearch(&key, all, nr, sizeof(*all), by_tid);
		if (!sums)
			fail_msg("thread %d has off-CPU intervals, but no life", key.tid);
		assert_true(s->runnable_ns <= s->value_ns);
		sums->rows_runnable += s->runnable_ns;
		sums->rows_blocked += s->value_ns - s->runnable_ns;
		sums->rows_intervals += s->count;
	}
}

void check_conservation(const struct dusk_profile *p)
{
	uint64_t life = 0, accounted = 0;
	size_t nr, missed = 0;
	struct sums *all = sum_lives(p, &nr);

	add_rows(p, all, nr);
	for (size_t i = 0; i < nr; i++) {
		const struct sums *s = &all[i];
		uint64_t sum = s->on_cpu + s->runnable + s->blocked;

		life += s->life;
		accounted += sum;
		if (within(sum, s->life, 1000, ROUNDING_NS) &&
		    within(s->rows_runnable, s->runnable, 1000, ROUNDING_NS) &&
		    within(s->rows_blocked, s->blocked, 1000, ROUNDING_NS) && s->rows_intervals == s->intervals)
			continue;
		if (missed++ < 20)
			print_message("thread %d: life %" PRIu64 ", on CPU %" PRIu64 ", runnable %" PRIu64
				      " (rows %" PRIu64 "), blocked %" PRIu64 " (rows %" PRIu64 "), intervals %" PRIu64
				      " (rows %" PRIu64 ")\n",
				      s->tid, s->life, s->on_cpu, s->runnable, s->rows_runnable, s->blocked,
				      s->rows_blocked, s->intervals, s->rows_intervals);
	}
	print_message("%zu threads lived %.3f s, of which %.3f s are accounted; %zu miss it\n", nr, life / 1e9,
		      accounted / 1e9, missed);
	free(all);
	assert_true(nr > 0);
	assert_int_equal(missed, 0);
}
