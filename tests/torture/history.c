/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "history.h"
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

/*
 * What may lie between the clock that the victim read and the sample's: the profile has microseconds, cut; and the
 * clock of interrupts may be behind the other for a moment (linux kernel/time/timekeeping.c, ktime_get_mono_fast_ns()).
 */
#define SLACK_NS 3000

struct life {
	struct truth_entry e; /* end_ns: also of what was never closed */
	size_t outer;	      /* index + 1 of the entry it lies in; 0: none */
};

struct history {
	const struct dusk_profile *profile;
	uint64_t start_ns;
	size_t nr, nr_notes;
	struct life *life;	  /* by tid and start */
	struct truth_entry *note; /* by pid and time */
};

static int by_tid(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	if (x->e.tid != y->e.tid)
		return x->e.tid < y->e.tid ? -1 : 1;
	return x->e.start_ns < y->e.start_ns ? -1 : x->e.start_ns > y->e.start_ns;
}

static int by_pid(const void *a, const void *b)
{
	const struct truth_entry *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The first of the notes of @pid after @time_ns; nr_notes: none. */
static size_t next_note(const struct history *h, uint32_t pid, uint64_t time_ns)
{
	size_t low = 0, high = h->nr_notes;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct truth_entry *n = &h->note[mid];

		if (n->pid < pid || (n->pid == pid && n->start_ns <= time_ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Until when was a thread surely in what it never left? Until its process was doomed; not at all if it had been doomed
 * before, or was born anew without being doomed.
 */
static uint64_t end_of_open(const struct history *h, const struct truth_entry *e)
{
	size_t i = next_note(h, e->pid, e->start_ns);
	bool doomed = i && h->note[i - 1].pid == e->pid && h->note[i - 1].path == TRUTH_DOOM;

	if (doomed || i == h->nr_notes || h->note[i].pid != e->pid || h->note[i].path != TRUTH_DOOM)
		return e->start_ns;
	return h->note[i].start_ns;
}

/* Entries of a thread lie in each other or one after the other. */
static void nest(struct history *h)
{
	size_t open = 0; /* index + 1 */

	for (size_t i = 0; i < h->nr; i++) {
		struct life *l = &h->life[i];

		while (open && (h->life[open - 1].e.tid != l->e.tid || h->life[open - 1].e.end_ns < l->e.start_ns))
			open = h->life[open - 1].outer;
		l->outer = open;
		open = i + 1;
	}
}

static void take(struct history *h, const struct truth *truth)
{
	size_t nr = truth->nr < TRUTH_ENTRIES ? truth->nr : TRUTH_ENTRIES;

	for (size_t i = 0; i < nr; i++) {
		const struct truth_entry *e = &truth->entry[i];

		if (e->path == TRUTH_DOOM || e->path == TRUTH_BIRTH)
			h->note[h->nr_notes++] = *e;
		else if (e->start_ns)
			h->life[h->nr++].e = *e;
	}
	qsort(h->note, h->nr_notes, sizeof(*h->note), by_pid);
	for (size_t i = 0; i < h->nr; i++)
		if (!h->life[i].e.end_ns)
			h->life[i].e.end_ns = end_of_open(h, &h->life[i].e);
	qsort(h->life, h->nr, sizeof(*h->life), by_tid);
	nest(h);
}

void history_free(struct history *h)
{
	if (!h)
		return;
	free(h->life);
	free(h->note);
	free(h);
}

struct history *history_new(const struct truth *truth, const struct dusk_profile *p)
{
	const char *start = dusk_profile_setting(p, "start_monotonic_ns");
	struct history *h = calloc(1, sizeof(*h));

	if (!start || !h) {
		free(h);
		return NULL;
	}
	h->profile = p;
	h->start_ns = strtoull(start, NULL, 10);
	h->life = calloc(TRUTH_ENTRIES, sizeof(*h->life));
	h->note = calloc(TRUTH_ENTRIES, sizeof(*h->note));
	if (!h->life || !h->note) {
		history_free(h);
		return NULL;
	}
	take(h, truth);
	return h;
}

bool history_knows(const struct history *h, pid_t pid)
{
	size_t i = next_note(h, pid, 0);

	return i < h->nr_notes && h->note[i].pid == pid;
}

uint64_t history_time(const struct history *h, const struct dusk_sample *s)
{
	return h->start_ns + s->time_ns;
}

/* The first entry after those of @tid that began by @time_ns. */
static size_t next_life(const struct history *h, uint32_t tid, uint64_t time_ns)
{
	size_t low = 0, high = h->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct truth_entry *e = &h->life[mid].e;

		if (e->tid < tid || (e->tid == tid && e->start_ns <= time_ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int history_at(const struct history *h, const struct dusk_sample *s, const struct truth_entry **ret, int max,
	       const struct truth_entry **before, const struct truth_entry **after)
{
	uint64_t time = history_time(h, s);
	uint32_t tid = h->profile->threads[s->thread].tid;
	size_t next = next_life(h, tid, time), i;
	int nr = 0;

	for (i = next; i && h->life[i - 1].e.tid == tid; i = h->life[i - 1].outer) {
		const struct truth_entry *e = &h->life[i - 1].e;

		if (!e->level && !*before)
			*before = e;
		if (e->start_ns + SLACK_NS > time || time + SLACK_NS > e->end_ns || e->level >= max)
			continue;
		ret[e->level] = e;
		if (nr < e->level + 1)
			nr = e->level + 1;
	}
	for (i = next; i < h->nr && h->life[i].e.tid == tid && !*after; i++)
		if (!h->life[i].e.level)
			*after = &h->life[i].e;
	if (*before && next_note(h, (*before)->pid, (*before)->start_ns) != next_note(h, (*before)->pid, time))
		*before = NULL;
	if (*after && next_note(h, (*after)->pid, time) != next_note(h, (*after)->pid, (*after)->start_ns))
		*after = NULL;
	return nr;
}
