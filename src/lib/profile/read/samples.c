/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read what was taken and counted: samples, windows, off-CPU intervals, wakers, occurrences, counters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "abi/offcpu.h"
#include "base/cleanup.h"
#include "lib/error.h"
#include "lib/profile/read/reader.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/sums/windows.h"

int reader_counter(struct reader *r)
{
	struct dusk_counter c = {
		.name = reader_text_or(r, 0, NULL),
		.sentence = reader_text_or(r, 2, ""),
		.value = reader_number(r, 1, UINT64_MAX),
	};
	bool fresh;
	uint32_t *number;

	number = map_at(&r->counter_numbers, (uintptr_t)c.name, &fresh);
	if (!number)
		return -ENOMEM;
	*number = r->counters.nr;
	return vec_push(&r->counters, c);
}

int reader_counted(struct reader *r)
{
	uint32_t *counter = map_find(&r->counter_numbers, (uintptr_t)reader_text_or(r, 1, NULL));

	r->damaged |= !counter;
	return vec_push(&r->counted, counter ? *counter : 0);
}

int reader_window_count(struct reader *r)
{
	struct dusk_window_count c = {
		.time_ns = reader_number(r, 1, INT64_MAX / 1000) * 1000,
		.value = reader_number(r, 3, INT64_MAX),
	};
	uint64_t counted = reader_number(r, 2, r->counted.nr);

	if (!counted || (r->window_counts.nr && c.time_ns < r->window_counts.v[r->window_counts.nr - 1].time_ns)) {
		r->damaged = true;
		return 0;
	}
	c.counter = r->counted.v[counted - 1];
	return vec_push(&r->window_counts, c);
}

/* The columns that samples, off-CPU intervals and events have in common. */
static struct dusk_sample sample(struct reader *r)
{
	struct dusk_sample s = {
		.time_ns = reader_number(r, 1, INT64_MAX / 1000) * 1000,
		.thread = reader_number(r, 2, (uint64_t)r->threads.nr - 1),
		.node = reader_number(r, 3, r->nodes.nr - 1),
		.cpu = reader_number_or(r, 4, UINT16_MAX, DUSK_NO_CPU),
		.outcome = reader_number(r, 5, (uint64_t)r->outcomes.nr - 1),
	};

	/* Without threads or outcomes the maximum above is UINT64_MAX, which any number passes. */
	if (!r->threads.nr || !r->outcomes.nr)
		r->damaged = true;
	return s;
}

int reader_sample(struct reader *r)
{
	struct dusk_sample s = sample(r);

	s.source = DUSK_CPU;
	s.value_ns = reader_number_or(r, 6, PROFILE_MAX_NS, 0); /* 0: the period, which hand_over() fills in */
	s.count = 1;
	return vec_push(&r->samples, s);
}

/* A block of sums; each has the time at which its window began. */
int reader_window(struct reader *r)
{
	uint64_t start_us = reader_number(r, 1, INT64_MAX / 1000);
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	int err = block_decode(sqlite3_column_blob(r->stmt, 3), sqlite3_column_bytes(r->stmt, 3), &c);

	reader_number(r, 2, INT64_MAX / 1000);
	if (err == -ENOMEM || vec_reserve(&r->samples, c.rows))
		return -ENOMEM;
	r->damaged |= err != 0;
	for (uint32_t i = 0; i < c.rows && !r->damaged; i++) {
		struct block_row row;
		struct dusk_sample *s = &r->samples.v[r->samples.nr++];

		block_row(&row, &c, i);
		r->damaged = !window_sample(&row, s) || s->thread >= r->threads.nr || s->node >= r->nodes.nr ||
			     s->outcome >= r->outcomes.nr;
		s->time_ns = start_us * 1000;
	}
	return 0;
}

int reader_interval(struct reader *r)
{
	struct dusk_sample s = sample(r);

	s.source = DUSK_OFF_CPU;
	s.state = reader_number(r, 6, NR_OFFCPU_REASONS - 1);
	s.value_ns = reader_number(r, 7, PROFILE_MAX_NS);
	s.runnable_ns = reader_number(r, 8, s.value_ns);
	s.count = reader_number(r, 9, UINT32_MAX);
	return vec_push(&r->samples, s) || vec_push(&r->intervals, r->id);
}

/* A waker without its off-CPU interval is left out: while a profile is being written, the interval may come later. */
int reader_waker(struct reader *r)
{
	struct dusk_waker by = {
		.thread = reader_number_or(r, 1, (uint64_t)r->threads.nr - 1, 0),
		.node = reader_number(r, 2, r->nodes.nr - 1),
		.outcome = reader_number_or(r, 3, (uint64_t)r->outcomes.nr - 1, 0),
		.kind = reader_number(r, 4, DUSK_WAKER_INTERRUPT),
	};

	if (!r->threads.nr || !r->outcomes.nr || !by.kind || r->wakers.nr == UINT32_MAX)
		r->damaged = true;
	while (r->woken < r->intervals.nr && r->intervals.v[r->woken] < r->id)
		r->woken++;
	if (r->woken == r->intervals.nr || r->intervals.v[r->woken] != r->id)
		return 0;
	r->samples.v[r->samples.nr - r->intervals.nr + r->woken].waker = r->wakers.nr;
	return vec_push(&r->wakers, by);
}

int reader_event(struct reader *r)
{
	return vec_push(&r->events, ((struct dusk_event){reader_text_or(r, 1, NULL)}));
}

int reader_occurrence(struct reader *r)
{
	struct dusk_occurrence o = {
		.sample = sample(r),
		.event = reader_number(r, 6, (uint64_t)r->events.nr - 1),
		.fields = reader_text_or(r, 7, ""),
	};

	o.sample.source = DUSK_EVENT;
	o.sample.count = 1;
	if (!r->events.nr)
		r->damaged = true;
	return vec_push(&r->occurrences, o);
}

int reader_thread_times(struct reader *r)
{
	struct dusk_thread_times l = {
		.thread = reader_number(r, 1, (uint64_t)r->threads.nr - 1),
		.start_ns = reader_number(r, 2, PROFILE_MAX_NS),
		.end_ns = reader_number(r, 3, PROFILE_MAX_NS),
		.on_cpu_ns = reader_number(r, 4, PROFILE_MAX_NS),
		.runnable_ns = reader_number(r, 5, PROFILE_MAX_NS),
		.blocked_ns = reader_number(r, 6, PROFILE_MAX_NS),
		.intervals = reader_number(r, 7, UINT32_MAX),
	};

	if (!r->threads.nr || l.start_ns > l.end_ns)
		r->damaged = true;
	return vec_push(&r->thread_times, l);
}

static int by_time(const void *a, const void *b)
{
	const struct dusk_sample *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->cpu == DUSK_NO_CPU) /* sums of a window stay in its order */
		return 0;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void sort(struct dusk_sample *v, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		if (by_time(&v[i - 1], &v[i]) > 0) {
			qsort(v, nr, sizeof(*v), by_time);
			return;
		}
	}
}

/*
 * Stacks arrive later than their samples, so samples are written almost in order, but not quite; off-CPU intervals are in
 * a table of their own, and likewise.
 */
static int sort_samples(struct reader *r)
{
	size_t nr = r->samples.nr, nr_last = r->intervals.nr, nr_first = nr - nr_last, i = 0, k = 0;
	struct dusk_sample *first = r->samples.v, *last = first + nr_first, *merged;

	sort(first, nr_first);
	sort(last, nr_last);
	if (!nr_first || !nr_last || by_time(&last[-1], last) <= 0)
		return 0;
	merged = malloc(nr * sizeof(*merged));
	if (!merged)
		return error_set(r->file.err, -ENOMEM, "cannot read %s: out of memory", r->file.path);
	while (i < nr_first || k < nr_last) {
		bool from_last = i == nr_first || (k < nr_last && by_time(&first[i], &last[k]) > 0);

		merged[i + k] = from_last ? last[k] : first[i];
		k += from_last;
		i += !from_last;
	}
	free(r->samples.v);
	r->samples.v = merged;
	r->samples.room = nr;
	return 0;
}

static int occurred_before(const void *a, const void *b)
{
	const struct dusk_occurrence *x = a, *y = b;

	return by_time(&x->sample, &y->sample);
}

static void sort_occurrences(struct reader *r)
{
	for (size_t i = 1; i < r->occurrences.nr; i++) {
		if (by_time(&r->occurrences.v[i - 1].sample, &r->occurrences.v[i].sample) > 0) {
			qsort(r->occurrences.v, r->occurrences.nr, sizeof(*r->occurrences.v), occurred_before);
			return;
		}
	}
}

int reader_sort(struct reader *r)
{
	sort_occurrences(r);
	return sort_samples(r);
}
