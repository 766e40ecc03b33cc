/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The windows of a profile that is written, what was counted in them, and the blocks of what they refer to. */
#include <stdlib.h>
#include "base/cleanup.h"
#include "lib/profile/sums/packed.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/write/writer.h"

void profile_sum_windows(struct profile_writer *w, uint64_t length_ns)
{
	w->windows.length_ns = length_ns;
	if (!writer_begin(w, SAMPLE))
		return;
	writer_fail_db(w, db_exec(w->db, "delete from node")); /* from now on they go to blocks */
	writer_fail_db(w, db_exec(w->db, PROFILE_WINDOW_TABLES));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->window, w->db, "insert into window(start,length,rows) values(?,?,?)"));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->counted, w->db, "insert into counted values(?,?)"));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->window_count, w->db,
					     "insert into window_count(start,counted,value) values(?,?,?)"));
}

/* Names are numbered in the order in which they have something to say, from 1. */
static void write_counts(struct profile_writer *w)
{
	for (size_t i = 0; i < w->counts.by_name.nr && writer_begin(w, COUNTER); i++) {
		struct window_count *c = &w->counts.by_name.v[i];

		if (i >= w->nr_counted) {
			sqlite3_bind_int64(w->counted, 1, ++w->nr_counted);
			writer_bind_name(w, w->counted, 2, strings_text(&w->counts.names, i));
			writer_run(w, w->counted);
		}
		if (!c->open)
			continue;
		sqlite3_bind_int64(w->window_count, 1, w->windows.start_ns / 1000);
		sqlite3_bind_int64(w->window_count, 2, i + 1);
		sqlite3_bind_int64(w->window_count, 3, c->open < INT64_MAX ? c->open : INT64_MAX);
		writer_run(w, w->window_count);
		c->open = 0;
	}
}

/* Write the sums that the open window has. */
static void write_window(struct profile_writer *w)
{
	_cleanup_(freep) uint8_t *rows = NULL;
	size_t len;

	if (!w->windows.rows.nr || !writer_begin(w, SAMPLE))
		return;
	if (windows_encode(&w->windows, &rows, &len)) {
		writer_fail_memory(w);
		return;
	}
	sqlite3_bind_int64(w->window, 1, w->windows.start_ns / 1000);
	sqlite3_bind_int64(w->window, 2, w->windows.length_ns / 1000);
	sqlite3_bind_blob64(w->window, 3, rows, len, SQLITE_STATIC);
	writer_run(w, w->window);
}

void writer_end_window(struct profile_writer *w)
{
	write_window(w);
	write_counts(w);
}

bool profile_window_is_over(const struct profile_writer *w, uint64_t time_ns)
{
	return w->windows.length_ns && time_ns >= w->windows.start_ns + w->windows.length_ns;
}

void profile_end_window(struct profile_writer *w, uint64_t time_ns)
{
	uint64_t length_ns = w->windows.length_ns;

	if (!profile_window_is_over(w, time_ns))
		return;
	writer_end_window(w);
	w->windows.start_ns = time_ns - time_ns % length_ns;
}

void writer_add_to_window(struct profile_writer *w, const struct dusk_sample *s)
{
	if (windows_add(&w->windows, s))
		writer_fail_memory(w);
	else if (windows_are_full(&w->windows))
		write_window(w);
}

void profile_count(struct profile_writer *w, const char *name, const char *sentence, uint64_t value)
{
	profile_counter(w, name, sentence, value);
	if (w->windows.length_ns && window_counts_has(name) && window_counts_total(&w->counts, name, value))
		writer_fail_memory(w);
}

void profile_counted(struct profile_writer *w, const char *name, uint64_t n)
{
	if (window_counts_add(&w->counts, name, n))
		writer_fail_memory(w);
}

/* What is left in rows while the recording goes on, as it is updated, or as the sender asks for its ids. */
static const char *const packed_at_the_end[] = {"module", "image", "function", "frame", "source",	"line",
						"thread", "title", "offcpu",   "waker", "thread_times", "window_count"};

static int pack(struct profile_writer *w)
{
	int rc = db_exec(w->db, "begin immediate");

	rc = rc ?: db_exec(w->db, "delete from packed where name='node'"); /* as fewer and larger blocks */
	w->nodes_written = 0;
	rc = rc ?: writer_pack_nodes(w);
	for (size_t i = 0; !rc && i < sizeof(packed_at_the_end) / sizeof(packed_at_the_end[0]); i++)
		rc = packed_take(w->db, packed_at_the_end[i]);
	return rc ?: db_exec(w->db, "commit");
}

void writer_pack(struct profile_writer *w)
{
	if (!w->windows.length_ns || w->error)
		return;
	if (!pack(w))
		db_exec(w->db, "pragma incremental_vacuum");
	else if (!sqlite3_get_autocommit(w->db))
		db_exec(w->db, "rollback");
}
