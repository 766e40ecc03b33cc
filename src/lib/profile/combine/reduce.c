/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Make a profile smaller, at the cost of what is rare in it, step by step, until it is small enough.
 *
 * On a machine that starts thousands of processes an hour, nearly each thread, and nearly each stack, occurs once. Few of
 * them mean anything by themselves, and together they take nearly all of the room. What a step takes is counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "lib/error.h"
#include "lib/profile/read/read.h"
#include "lib/profile/combine/reduce.h"

#define NS_A_S 1000000000ULL
#define MINUTE_NS (60 * NS_A_S)
#define MIN_RARE_NS 10000000ULL /* of what has no samples */

/* About what @p takes in a file with windows: bytes of rows in the order of reduce_order(), as measured. */
static uint64_t bytes(const struct dusk_profile *p)
{
	uint64_t sums = 0, titles = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		sums += p->samples[i].cpu == DUSK_NO_CPU;
	for (uint32_t i = 0; i < p->nr_threads; i++)
		titles += i && strcmp(p->threads[i].title, p->threads[i - 1].title);
	return 30000 + sums * 4 + (p->nr_samples - sums + p->nr_occurrences) * 13 + p->nr_nodes * 3 / 2 +
	       p->nr_frames * 3UL + p->nr_functions * 11UL + p->nr_lines * 9 / 4 + p->nr_modules * 35UL +
	       p->nr_threads * 4UL + titles * 15 + p->nr_thread_times * 18UL + p->nr_window_counts * 2;
}

/* Set the counter @name to @value, or add that to it. */
static int count(struct dusk_profile *p, const char *name, const char *sentence, uint64_t value, bool add)
{
	struct dusk_counter *counters,
		c = {strings_intern(profile_strings(p), name), strings_intern(profile_strings(p), sentence), value};

	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name)) {
			p->counters[i].value = value + (add ? p->counters[i].value : 0);
			return 0;
		}
	if (!value)
		return 0;
	counters = c.name && c.sentence ? reallocarray(p->counters, p->nr_counters + 1UL, sizeof(c)) : NULL;
	if (!counters)
		return -ENOMEM;
	counters[p->nr_counters++] = c;
	p->counters = counters;
	return 0;
}

static int set_u64(struct dusk_profile *p, const char *key, uint64_t value)
{
	struct dusk_setting *settings, s = {strings_intern(profile_strings(p), key), NULL};
	char text[32];
	uint32_t i = 0;

	snprintf(text, sizeof(text), "%" PRIu64, value);
	s.value = strings_intern(profile_strings(p), text);
	while (i < p->nr_settings && strcmp(p->settings[i].key, key))
		i++;
	settings = s.key && s.value ? reallocarray(p->settings, p->nr_settings + 1UL, sizeof(s)) : NULL;
	if (!settings)
		return -ENOMEM;
	settings[i] = s;
	p->nr_settings += i == p->nr_settings;
	p->settings = settings;
	return 0;
}

/* What is left in, step by step, and what that cost. */
struct reduction {
	struct dusk_profile *p;
	uint64_t window_ns, max_bytes;
	uint64_t rare_ns; /* stacks are shortened that have less; 0: none so far */
	uint64_t threads, intervals;
};

static bool is_small(const struct reduction *r)
{
	return bytes(r->p) <= r->max_bytes;
}

static void sum_up(struct reduction *r)
{
	reduce_sums(r->p, r->window_ns);
}

static int merge_threads(struct reduction *r)
{
	int err = reduce_threads(r->p, r->window_ns, &r->threads);

	sum_up(r);
	return err;
}

/* Shorten ever more stacks, of less than @max_ns, until it is small. */
static int shorten(struct reduction *r, uint64_t max_ns)
{
	int err = 0;

	while (!err && !is_small(r) && r->rare_ns < max_ns) {
		r->rare_ns = r->rare_ns ? r->rare_ns * 2 : r->p->period_ns ?: MIN_RARE_NS;
		err = reduce_stacks(r->p, r->rare_ns);
		sum_up(r);
		err = err ?: reduce_sweep(r->p);
	}
	return err;
}

/* The fewer windows there are, the more threads were in one only. */
static int widen(struct reduction *r, uint64_t window_ns)
{
	if (is_small(r) || r->window_ns >= window_ns)
		return 0;
	r->window_ns = window_ns;
	return merge_threads(r);
}

static uint64_t all_ns(const struct dusk_profile *p)
{
	uint64_t ns = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		ns += p->samples[i].value_ns;
	return ns;
}

/*
 * What means least goes first. A stack of a second in a day is a thousandth of a percent of a CPU; when of a day was it a matter of minutes
 * or of hours, if all that is left are stacks that were there all the time?
 */
static int reduce(struct reduction *r)
{
	int err = 0;

	sum_up(r);
	if (!is_small(r))
		err = merge_threads(r);
	if (!err && !is_small(r)) {
		reduce_intervals(r->p, &r->intervals);
		sum_up(r);
		err = reduce_sweep(r->p);
	}
	err = err ?: shorten(r, NS_A_S);
	err = err ?: widen(r, 10 * MINUTE_NS);
	err = err ?: shorten(r, 10 * NS_A_S);
	err = err ?: widen(r, 60 * MINUTE_NS);
	return err ?: shorten(r, all_ns(r->p)) ?: reduce_order(r->p);
}

static int note(const struct reduction *r)
{
	struct dusk_profile *p = r->p;
	int err = set_u64(p, "window_ns", r->window_ns);

	if (r->rare_ns)
		err = err ?: set_u64(p, "rare_ns", r->rare_ns);
	err = err
		      ?: count(p, "threads-alike", "threads of a single window that became one with those alike",
			       r->threads, true);
	err = err
		      ?: count(p, "intervals-summed", "off-CPU intervals that had a time of their own, and became sums",
			       r->intervals, true);
	return err
		       ?: count(p, "stacks-shortened",
				"samples and off-CPU intervals with rare stacks, of which callers are left out: [...]",
				reduce_count_shortened(p), false);
}

int dusk_profile_reduce(struct dusk_profile *p, uint64_t window_ns, uint64_t max_bytes, struct dusk_error *err)
{
	struct reduction r = {.p = p, .window_ns = window_ns, .max_bytes = max_bytes};
	int rc = window_ns ? reduce(&r) ?: note(&r) : -EINVAL;

	return rc ? error_complete(err, rc, "cannot reduce a profile") : 0;
}
