/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Off-CPU intervals, and what ended them. See write.h.
 *
 * An interval and its waker come in any order, when their stacks are there. Senders read a recording behind those that write it, by the ids of
 * its rows: so an interval gets its id when it is written, and none comes later with a smaller one. What comes first waits here for the
 * other.
 */
#include "lib/profile/write/write.h"
#include "lib/profile/write/writer.h"

#define MANY_PAIRED 1024 /* they are removed when they are half of all, and as many */

uint64_t profile_new_interval(struct profile_writer *w)
{
	return ++w->nr_intervals;
}

uint64_t writer_interval(struct profile_writer *w, const struct dusk_sample *s)
{
	sqlite3_stmt *stmt = writer_begin(w, INTERVAL);

	if (!stmt)
		return 0;
	writer_bind_sample(stmt, s);
	sqlite3_bind_int(stmt, 6, s->state);
	writer_bind_ns(stmt, 7, s->value_ns);
	writer_bind_ns(stmt, 8, s->runnable_ns < s->value_ns ? s->runnable_ns : s->value_ns);
	sqlite3_bind_int64(stmt, 9, s->count);
	writer_run(w, stmt);
	return w->error ? 0 : sqlite3_last_insert_rowid(w->db);
}

static void write_waker(struct profile_writer *w, const struct dusk_waker *by, uint64_t id)
{
	sqlite3_stmt *stmt = writer_begin(w, WAKER);

	if (!stmt)
		return;
	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 3, by->node);
	sqlite3_bind_int(stmt, 5, by->kind);
	if (by->kind == DUSK_WAKER_TASK) {
		sqlite3_bind_int64(stmt, 2, by->thread);
		sqlite3_bind_int(stmt, 4, by->outcome);
	} else {
		sqlite3_bind_null(stmt, 2);
		sqlite3_bind_null(stmt, 4);
	}
	writer_run(w, stmt);
}

/* What is there of the interval with that number. NULL: memory is short. */
static struct interval_half *half_of(struct profile_writer *w, uint64_t number)
{
	bool fresh;
	uint32_t *at = map_at(&w->unpaired, number, &fresh);

	if (!at || (fresh && vec_push(&w->halves, (struct interval_half){.number = number}))) {
		writer_fail_memory(w);
		return NULL;
	}
	if (fresh)
		*at = w->halves.nr - 1;
	return &w->halves.v[*at];
}

/* Forget those that are written. */
static void forget_paired(struct profile_writer *w)
{
	size_t nr = 0;

	map_clear(&w->unpaired);
	for (size_t i = 0; i < w->halves.nr; i++) {
		bool fresh;
		uint32_t *at = w->halves.v[i].paired ? NULL : map_at(&w->unpaired, w->halves.v[i].number, &fresh);

		if (!at)
			continue; /* there is room: the map had more before */
		*at = nr;
		w->halves.v[nr++] = w->halves.v[i];
	}
	w->halves.nr = nr;
	w->nr_paired = 0;
}

static void pair(struct profile_writer *w, struct interval_half *h)
{
	if (!h->id || !h->has_waker)
		return;
	write_waker(w, &h->by, h->id);
	h->paired = true;
	if (++w->nr_paired >= MANY_PAIRED && w->nr_paired * 2 > w->halves.nr)
		forget_paired(w);
}

void profile_interval(struct profile_writer *w, const struct dusk_sample *s, uint64_t interval)
{
	struct interval_half *h = half_of(w, interval);
	uint64_t id = writer_interval(w, s);

	if (!h || !id)
		return;
	h->id = id;
	pair(w, h);
}

void profile_waker(struct profile_writer *w, const struct dusk_waker *by, uint64_t interval)
{
	struct interval_half *h = half_of(w, interval);

	if (!h)
		return;
	h->by = *by;
	h->has_waker = true;
	pair(w, h);
}
