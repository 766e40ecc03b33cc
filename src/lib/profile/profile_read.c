/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read a profile into memory.
 *
 * A profile may come from an untrusted source. Each number is checked against the table that it points to, so that the
 * columns can be used without checks. Rows are read in the order of their ids, and ids are dense, so an endless list
 * soon breaks that order. SQLite's work is bounded by the size of the file, so neither views in place of tables nor
 * cycles of pages can keep it busy.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "abi/offcpu.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/profile/abi_names.h"
#include "lib/profile/packed.h"
#include "lib/profile/profile_open.h"
#include "lib/profile/profile_read.h"
#include "lib/profile/profile_schema.h"
#include "lib/profile/profile_v1.h"
#include "lib/profile/windows.h"

#define MAX_FRAME_LINES 64 /* functions inlined into each other; unfolding makes a node of each */

struct reader {
	struct profile_file file;
	struct dusk_profile *p;
	struct strings *strings;

	/* The table that is being read: */
	sqlite3_stmt *stmt;
	const char *table;
	int64_t id;
	bool damaged;
	const struct pack *block; /* the packed rows that are being read, instead of @stmt; or NULL */
	uint32_t row;		  /* of @block */
	bool v1, packed;	  /* the file has format 1; it has packed rows */
	struct profile_cursor from, to, reached;

	struct vec(const char *) images, sources;
	struct vec(struct dusk_module) modules;
	struct vec(struct dusk_function) functions;
	struct vec(struct dusk_frame) frames;
	struct vec(struct dusk_line) lines;
	struct vec(struct dusk_node) nodes;
	struct vec(struct dusk_cgroup) cgroups;
	struct vec(struct dusk_thread) threads;
	struct vec(uint32_t) titled; /* threads with a row of title */
	struct vec(struct dusk_sample) samples;
	struct vec(int64_t) intervals; /* ids of the last elements of @samples */
	size_t woken;		       /* index in @intervals from which to look for the next waker's */
	struct vec(struct dusk_waker) wakers;
	struct vec(struct dusk_event) events;
	struct vec(struct dusk_occurrence) occurrences;
	struct vec(struct dusk_thread_times) thread_times;
	struct vec(struct dusk_outcome) outcomes;
	struct vec(struct dusk_counter) counters;
	struct vec(uint32_t) counted; /* the counter of each row of "counted", from 1 */
	struct vec(struct dusk_window_count) window_counts;
	struct vec(struct dusk_setting) settings;
};

struct strings *profile_strings(struct dusk_profile *p)
{
	if (!p->store)
		p->store = calloc(1, sizeof(struct strings));
	return p->store;
}

/* Of a block, columns that it lacks are NULL, as those that hold nothing but that may be numbers or texts. */
static int type_of(const struct reader *r, int column)
{
	const struct pack_column *c = r->block ? &r->block->column[column] : NULL;

	if (!c)
		return sqlite3_column_type(r->stmt, column);
	if ((uint32_t)column >= r->block->nr || pack_is_null(c, r->row))
		return SQLITE_NULL;
	if (!pack_is_text(c))
		return SQLITE_INTEGER;
	return *pack_text_at(c, r->row) ? SQLITE_TEXT : SQLITE_NULL;
}

static int nr_columns(const struct reader *r)
{
	return r->block ? (int)r->block->nr : sqlite3_column_count(r->stmt);
}

/* Return the integer in this column, which must be at most @max; NULL counts as @fallback. */
static uint64_t number_or(struct reader *r, int column, uint64_t max, uint64_t fallback)
{
	int type = type_of(r, column);
	uint64_t value = type == SQLITE_NULL ? fallback
			 : r->block	     ? r->block->column[column].numbers.v[r->row]
					     : (uint64_t)sqlite3_column_int64(r->stmt, column);

	if ((type != SQLITE_INTEGER && type != SQLITE_NULL) || value > max) {
		r->damaged = true;
		return 0;
	}
	return value;
}

/* Like number_or(), but NULL is damage. */
static uint64_t number(struct reader *r, int column, uint64_t max)
{
	if (type_of(r, column) == SQLITE_NULL)
		r->damaged = true;
	return number_or(r, column, max, 0);
}

/* Return the text in this column. NULL counts as @fallback, and is damage if @fallback is NULL. */
static const char *text_or(struct reader *r, int column, const char *fallback)
{
	int type = type_of(r, column);
	const char *text = NULL;

	if (type == SQLITE_NULL && fallback)
		return fallback;
	if (type == SQLITE_TEXT)
		text = r->block ? pack_text_at(&r->block->column[column], r->row)
				: (const char *)sqlite3_column_text(r->stmt, column);
	if (text)
		text = strings_intern(r->strings, text);
	if (!text)
		r->damaged = true;
	return text ? text : "";
}

static int read_setting(struct reader *r)
{
	return vec_push(&r->settings, ((struct dusk_setting){text_or(r, 0, NULL), text_or(r, 1, "")}));
}

static int read_module(struct reader *r)
{
	struct dusk_module m = {
		.kind = number(r, 1, DUSK_MODULE_KERNEL),
		.pid = number(r, 2, INT_MAX),
		.path = text_or(r, 3, ""),
		.build_id = text_or(r, 4, ""),
		.dev = number_or(r, 5, UINT64_MAX, 0),
		.ino = number_or(r, 6, UINT64_MAX, 0),
		.generation = number_or(r, 7, UINT32_MAX, 0),
	};

	return vec_push(&r->modules, m);
}

static int read_image(struct reader *r)
{
	return vec_push(&r->images, text_or(r, 1, ""));
}

static int read_function(struct reader *r)
{
	struct dusk_function f = {.name = text_or(r, 1, NULL)};

	f.symbol = text_or(r, 2, f.name);
	f.module = r->images.v[number_or(r, 3, r->images.nr - 1, 0)];
	return vec_push(&r->functions, f);
}

static int read_frame(struct reader *r)
{
	struct dusk_frame f = {
		.module = number(r, 1, r->modules.nr - 1),
		.offset = number(r, 2, UINT64_MAX),
		.is_return = number(r, 3, 1),
		.function = number_or(r, 4, r->functions.nr - 1, 0),
		.function_offset = number_or(r, 5, UINT32_MAX, 0),
	};

	f.address = number_or(r, 6, UINT64_MAX, f.offset);
	if (nr_columns(r) > 7)
		f.method = number_or(r, 7, DUSK_BY_CODE, DUSK_BY_NOTHING);
	return vec_push(&r->frames, f);
}

static int read_source(struct reader *r)
{
	return vec_push(&r->sources, text_or(r, 1, ""));
}

/* The lines of a frame are consecutive. */
static int read_line(struct reader *r)
{
	struct dusk_line l = {.function = number_or(r, 2, r->functions.nr - 1, 0)};
	struct dusk_frame *f = &r->frames.v[number(r, 1, r->frames.nr - 1)];

	l.file = r->sources.v[number_or(r, 3, r->sources.nr - 1, 0)];
	l.line = number_or(r, 4, UINT32_MAX, 0);
	if (f == r->frames.v || f->nr_lines == MAX_FRAME_LINES ||
	    (f->nr_lines && f->first_line + f->nr_lines != r->lines.nr))
		r->damaged = true;
	if (!f->nr_lines)
		f->first_line = r->lines.nr;
	f->nr_lines++;
	return vec_push(&r->lines, l);
}

static int read_node(struct reader *r)
{
	struct dusk_node n = {
		.parent = number(r, 1, r->id - 1),
		.frame = number(r, 2, r->frames.nr - 1),
	};

	return vec_push(&r->nodes, n);
}

static int read_cgroup(struct reader *r)
{
	struct dusk_cgroup c = {
		.path = text_or(r, 1, ""),
		.container = text_or(r, 2, ""),
		.container_name = text_or(r, 3, ""),
		.pod = text_or(r, 4, ""),
		.pod_namespace = text_or(r, 5, ""),
		.unit = text_or(r, 6, ""),
		.host = nr_columns(r) > 7 ? text_or(r, 7, "") : "",
	};

	return vec_push(&r->cgroups, c);
}

static int read_thread(struct reader *r)
{
	struct dusk_thread t = {
		.pid = number(r, 1, INT_MAX),
		.tid = number(r, 2, INT_MAX),
		.comm = text_or(r, 3, ""),
		.title = "",
		.service = "",
		.version = "",
	};

	if (nr_columns(r) > 4)
		t.cgroup = number_or(r, 4, r->cgroups.nr - 1, 0);
	return vec_push(&r->threads, t);
}

static int read_title(struct reader *r)
{
	const char *title = text_or(r, 1, ""), *service = "", *version = "";
	struct dusk_thread *t;

	if (nr_columns(r) > 2) {
		service = text_or(r, 2, "");
		version = text_or(r, 3, "");
	}
	if (r->id >= (int64_t)r->threads.nr) {
		r->damaged = true;
		return 0;
	}
	t = &r->threads.v[r->id];
	t->title = title;
	t->service = service;
	t->version = version;
	return vec_push(&r->titled, r->id);
}

/* What is known of a process holds for its later threads, up to the next row. */
static int spread_titles(struct reader *r)
{
	struct map last = {0}; /* pid -> the last thread with a row */
	size_t next = 0;
	int err = 0;

	for (uint32_t i = 0; i < r->threads.nr && !err; i++) {
		struct dusk_thread *t = &r->threads.v[i];
		bool fresh, has_row = next < r->titled.nr && r->titled.v[next] == i;
		uint32_t *of = has_row ? map_at(&last, t->pid, &fresh) : map_find(&last, t->pid);

		next += has_row;
		if (has_row && !of) {
			err = error_set(r->file.err, -ENOMEM, "cannot read %s: out of memory", r->file.path);
		} else if (has_row) {
			*of = i;
		} else if (of) {
			t->title = r->threads.v[*of].title;
			t->service = r->threads.v[*of].service;
			t->version = r->threads.v[*of].version;
			t->cgroup = t->cgroup ? t->cgroup : r->threads.v[*of].cgroup;
		}
	}
	map_done(&last);
	return err;
}

static int read_outcome(struct reader *r)
{
	struct dusk_outcome o = {.name = text_or(r, 1, NULL), .sentence = text_or(r, 3, "")};
	const char *class = text_or(r, 2, NULL);

	while (o.kind <= DUSK_ABSENT && strcmp(class, outcome_classes[o.kind]))
		o.kind++;
	if (o.kind > DUSK_ABSENT)
		r->damaged = true;
	return vec_push(&r->outcomes, o);
}

static int read_counter(struct reader *r)
{
	struct dusk_counter c = {
		.name = text_or(r, 0, NULL),
		.sentence = text_or(r, 2, ""),
		.value = number(r, 1, UINT64_MAX),
	};

	if (r->v1 && c.name)
		c.name = v1_now(v1_counters, c.name);
	return vec_push(&r->counters, c);
}

static int read_counted(struct reader *r)
{
	const char *name = text_or(r, 1, NULL);
	uint32_t i = 0;

	while (i < r->counters.nr && strcmp(r->counters.v[i].name, name))
		i++;
	r->damaged |= i == r->counters.nr;
	return vec_push(&r->counted, i);
}

static int read_window_count(struct reader *r)
{
	struct dusk_window_count c = {
		.time_ns = number(r, 1, INT64_MAX / 1000) * 1000,
		.value = number(r, 3, INT64_MAX),
	};
	uint64_t counted = number(r, 2, r->counted.nr);

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
		.time_ns = number(r, 1, INT64_MAX / 1000) * 1000,
		.thread = number(r, 2, (uint64_t)r->threads.nr - 1),
		.node = number(r, 3, r->nodes.nr - 1),
		.cpu = number_or(r, 4, UINT16_MAX, DUSK_NO_CPU),
		.outcome = number(r, 5, (uint64_t)r->outcomes.nr - 1),
	};

	/* Without threads or outcomes the maximum above is UINT64_MAX, which any number passes. */
	if (!r->threads.nr || !r->outcomes.nr)
		r->damaged = true;
	return s;
}

static int read_sample(struct reader *r)
{
	struct dusk_sample s = sample(r);

	s.source = DUSK_CPU;
	s.value_ns = number_or(r, 6, PROFILE_MAX_NS, 0); /* 0: the period, which hand_over() fills in */
	s.count = 1;
	return vec_push(&r->samples, s);
}

/* A block of sums; each has the time at which its window began. */
static int read_window(struct reader *r)
{
	uint64_t start_us = number(r, 1, INT64_MAX / 1000);
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	int err = block_decode(sqlite3_column_blob(r->stmt, 3), sqlite3_column_bytes(r->stmt, 3), &c);

	number(r, 2, INT64_MAX / 1000);
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

static int read_interval(struct reader *r)
{
	struct dusk_sample s = sample(r);

	s.source = DUSK_OFF_CPU;
	s.state = number(r, 6, NR_OFFCPU_REASONS - 1);
	s.value_ns = number(r, 7, PROFILE_MAX_NS);
	s.runnable_ns = number(r, 8, s.value_ns);
	s.count = number(r, 9, UINT32_MAX);
	return vec_push(&r->samples, s) || vec_push(&r->intervals, r->id);
}

/* A waker without its off-CPU interval is left out: while a profile is being written, the interval may come later. */
static int read_waker(struct reader *r)
{
	struct dusk_waker by = {
		.thread = number_or(r, 1, (uint64_t)r->threads.nr - 1, 0),
		.node = number(r, 2, r->nodes.nr - 1),
		.outcome = number_or(r, 3, (uint64_t)r->outcomes.nr - 1, 0),
		.kind = number(r, 4, DUSK_WAKER_INTERRUPT),
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

static int read_event(struct reader *r)
{
	return vec_push(&r->events, ((struct dusk_event){text_or(r, 1, NULL)}));
}

static int read_occurrence(struct reader *r)
{
	struct dusk_occurrence o = {
		.sample = sample(r),
		.event = number(r, 6, (uint64_t)r->events.nr - 1),
		.fields = text_or(r, 7, ""),
	};

	o.sample.source = DUSK_EVENT;
	o.sample.count = 1;
	if (!r->events.nr)
		r->damaged = true;
	return vec_push(&r->occurrences, o);
}

static int read_thread_times(struct reader *r)
{
	struct dusk_thread_times l = {
		.thread = number(r, 1, (uint64_t)r->threads.nr - 1),
		.start_ns = number(r, 2, PROFILE_MAX_NS),
		.end_ns = number(r, 3, PROFILE_MAX_NS),
		.on_cpu_ns = number(r, 4, PROFILE_MAX_NS),
		.runnable_ns = number(r, 5, PROFILE_MAX_NS),
		.blocked_ns = number(r, 6, PROFILE_MAX_NS),
		.intervals = number(r, 7, UINT32_MAX),
	};

	if (!r->threads.nr || l.start_ns > l.end_ns)
		r->damaged = true;
	return vec_push(&r->thread_times, l);
}

#define CURSOR(table) (offsetof(struct profile_cursor, table) + 1)

/*
 * The tables, each after those that it points to. Ids begin at @first, without gaps if @dense, and are at most @last;
 * @first -1: the table has no ids.
 */
static const struct table {
	const char *name, *columns;
	int64_t first, last;
	bool dense;
	int (*read)(struct reader *r);
	bool optional;	    /* missing in profiles of older versions */
	const char *column; /* one more column, which may be missing likewise */
	const char *more;   /* what is there if @column is */
	size_t cursor;	    /* where in a struct profile_cursor its ids are, plus one; 0: it is read as a whole */
} tables[] = {
	{"setting", "key,value", -1, 0, false, read_setting},
	{"module", "id,kind,pid,path,build_id,dev,ino,generation", 1, UINT32_MAX - 1, true, read_module},
	{"image", "id,name", 1, UINT32_MAX - 1, true, read_image},
	{"function", "id,name,symbol,image", 1, UINT32_MAX - 1, true, read_function},
	{"frame", "id,module,offset,is_return,function,function_offset,address", 1, UINT32_MAX - 1, true, read_frame,
	 .column = "method"},
	{"node", "id,parent,frame", 1, UINT32_MAX - 1, true, read_node},
	{"cgroup", "id,path,container,container_name,pod,namespace,unit", 1, UINT32_MAX - 1, true, read_cgroup, true,
	 "host"},
	{"thread", "id,pid,tid,comm", 0, UINT32_MAX - 1, true, read_thread, .column = "cgroup"},
	{"title", "thread,text", 0, UINT32_MAX - 1, false, read_title, true, "service", ",version"},
	{"outcome", "id,name,class,sentence", 0, UINT8_MAX, true, read_outcome},
	{"source", "id,path", 1, UINT32_MAX - 1, true, read_source, true},
	{"line", "id,frame,function,source,line", 1, UINT32_MAX - 1, true, read_line, true},
	{"counter", "name,value,sentence", -1, 0, false, read_counter},
	{"counted", "id,name", 1, UINT32_MAX - 1, true, read_counted, true},
	{"window_count", "id,start,counted,value", 1, INT64_MAX - 1, false, read_window_count, true,
	 .cursor = CURSOR(window_count)},
	{"sample", "id,time,thread,node,cpu,outcome", 1, INT64_MAX - 1, false, read_sample, .column = "value",
	 .cursor = CURSOR(sample)},
	{"window", "id,start,length,rows", 1, INT64_MAX - 1, false, read_window, true, .cursor = CURSOR(window)},
	{"offcpu", "id,time,thread,node,cpu,outcome,state,value,runnable,nr", 1, INT64_MAX - 1, false, read_interval,
	 true, .cursor = CURSOR(offcpu)},
	{"waker", "offcpu,thread,node,outcome,kind", 1, INT64_MAX - 1, false, read_waker, true},
	{"event", "id,name", 0, UINT32_MAX - 1, true, read_event, true},
	{"occurrence", "id,time,thread,node,cpu,outcome,event,fields", 1, INT64_MAX - 1, false, read_occurrence, true},
	{"thread_times", "id,thread,start,end,on_cpu,runnable,blocked,intervals", 1, INT64_MAX - 1, false,
	 read_thread_times, true},
};

#define NR_TABLES (sizeof(tables) / sizeof(tables[0]))

static int damaged(struct reader *r, const char *what)
{
	return error_set(r->file.err, -EINVAL, "%s is damaged: %s in table %s, after id %" PRId64, r->file.path, what,
			 r->table, r->id);
}

static int64_t *id_in(struct profile_cursor *c, const struct table *t)
{
	return (int64_t *)((char *)c + t->cursor - 1);
}

static int read_row(struct reader *r, const struct table *t)
{
	if (t->first >= 0) {
		int64_t id =
			r->block ? (int64_t)r->block->column[0].numbers.v[r->row] : sqlite3_column_int64(r->stmt, 0);

		if (id <= r->id || id > t->last || (t->dense && id != r->id + 1))
			return damaged(r, "a row out of order");
		r->id = id;
		if (t->cursor && (id <= *id_in(&r->from, t) || id > *id_in(&r->to, t)))
			return 0;
		if (t->cursor)
			*id_in(&r->reached, t) = id;
	}
	if (t->read(r))
		return error_set(r->file.err, -ENOMEM, "cannot read %s: out of memory", r->file.path);
	return r->damaged ? damaged(r, "a wrong value") : 0;
}

/* Count the real tables with that name; views do not count. */
static int count_tables(struct reader *r, const char *name, sqlite3_int64 *ret)
{
	char sql[256];
	int rc;

	snprintf(sql, sizeof(sql),
		 "select count(*) from sqlite_schema where type='table' and rootpage>0 and "
		 "name='%s'",
		 name);
	rc = db_integer(r->file.db, sql, ret);
	return rc ? profile_file_failed(&r->file, rc) : 0;
}

static int read_block(struct reader *r, const struct table *t, const void *data, size_t len)
{
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	int err = pack_decode(data, len, &c), rc = 0;

	if (err == -ENOMEM)
		return error_set(r->file.err, -ENOMEM, "cannot read %s: out of memory", r->file.path);
	if (err || !c.nr || t->first < 0)
		return damaged(r, "a wrong block");
	r->block = &c;
	for (r->row = 0; !rc && r->row < c.rows; r->row++)
		rc = read_row(r, t);
	r->block = NULL;
	return rc;
}

/* Rows that are packed come before those that are not. */
static int read_blocks(struct reader *r, const struct table *t)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = packed_blocks(&stmt, r->file.db, t->name);

	if (rc)
		return profile_file_failed(&r->file, rc);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		rc = read_block(r, t, sqlite3_column_blob(stmt, 0), sqlite3_column_bytes(stmt, 0));
		if (rc)
			return rc;
	}
	return rc == SQLITE_DONE ? 0 : profile_file_failed(&r->file, rc);
}

static int read_rows(struct reader *r, const struct table *t, const char *name)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	bool more = t->column && db_has_column(r->file.db, name, t->column);
	char sql[512], which[96] = "";
	int rc;

	if (t->cursor)
		snprintf(which, sizeof(which), " where rowid>%" PRId64 " and rowid<=%" PRId64, *id_in(&r->from, t),
			 *id_in(&r->to, t));
	snprintf(sql, sizeof(sql), "select %s%s%s%s from %s%s order by %s",
		 r->v1 ? v1_then(v1_columns, t->columns) : t->columns, more ? "," : "", more ? t->column : "",
		 more && t->more ? t->more : "", name, which, t->first < 0 ? "1" : "rowid");
	rc = sqlite3_prepare_v2(r->file.db, sql, -1, &stmt, NULL);
	if (rc)
		return profile_file_failed(&r->file, rc);
	r->stmt = stmt;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		rc = read_row(r, t);
		if (rc)
			return rc;
	}
	return rc == SQLITE_DONE ? 0 : profile_file_failed(&r->file, rc);
}

static int read_table(struct reader *r, const struct table *t)
{
	const char *name = r->v1 ? v1_then(v1_tables, t->name) : t->name;
	sqlite3_int64 nr;
	int rc = 0;

	if (t->optional) {
		rc = count_tables(r, name, &nr);
		if (rc || !nr)
			return rc;
	}
	r->table = name;
	r->id = t->first - 1;
	if (r->packed)
		rc = read_blocks(r, t);
	return rc ?: read_rows(r, t, name);
}

/* Check that this is a profile of a known format, and that its tables are real tables. */
static int check_header(struct reader *r)
{
	sqlite3_int64 application, version, nr;
	bool whole;
	int rc = db_integer(r->file.db, "pragma application_id", &application);

	rc = rc ?: db_integer(r->file.db, "pragma user_version", &version);
	if (rc)
		return profile_file_failed(&r->file, rc);
	if (application != PROFILE_APPLICATION_ID)
		return error_set(r->file.err, -EINVAL, "%s is not a dusk profile", r->file.path);
	if (version > PROFILE_VERSION_PACKED)
		return error_set(r->file.err, -EPROTONOSUPPORT,
				 "%s was written by a newer dusk (format %lld, this one reads up to %d): update dusk",
				 r->file.path, (long long)version, PROFILE_VERSION_PACKED);
	r->v1 = version == 1;
	r->packed = version == PROFILE_VERSION_PACKED;
	whole = version >= 1;
	if (r->packed) {
		rc = count_tables(r, "packed", &nr);
		if (rc)
			return rc;
		whole = nr == 1;
	}
	for (size_t i = 0; i < NR_TABLES && whole; i++) {
		rc = count_tables(r, tables[i].name, &nr);
		if (rc)
			return rc;
		whole = tables[i].optional || nr == 1;
	}
	if (!whole)
		return error_set(r->file.err, -EINVAL, "%s is damaged: it lacks tables", r->file.path);
	return 0;
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

static uint64_t period_of(const struct dusk_profile *p)
{
	const char *period = dusk_profile_setting(p, "period_ns");
	const char *frequency = dusk_profile_setting(p, "frequency_hz");
	uint64_t hz = frequency ? strtoull(frequency, NULL, 10) : 0;

	if (period)
		return strtoull(period, NULL, 10);
	return hz ? 1000000000 / hz : 0;
}

static void hand_over(struct reader *r)
{
	struct dusk_profile *p = r->p;

#define COLUMN(name)                           \
	do {                                   \
		p->nr_##name = r->name.nr;     \
		p->name = vec_steal(&r->name); \
	} while (0)
	COLUMN(modules);
	COLUMN(functions);
	COLUMN(frames);
	COLUMN(lines);
	COLUMN(nodes);
	COLUMN(cgroups);
	COLUMN(threads);
	COLUMN(samples);
	COLUMN(events);
	COLUMN(occurrences);
	COLUMN(thread_times);
	COLUMN(wakers);
	COLUMN(outcomes);
	COLUMN(counters);
	COLUMN(window_counts);
	COLUMN(settings);
#undef COLUMN
	p->period_ns = period_of(p);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].source == DUSK_CPU && !p->samples[i].value_ns)
			p->samples[i].value_ns = p->period_ns * p->samples[i].count;
	p->finished = dusk_profile_setting(p, "finished");
	p->live = r->file.live;
	p->bytes = profile_file_bytes(&r->file);
	p->symbolized = p->nr_functions > 1 || dusk_profile_setting(p, "symbolized");
}

/* Add element 0, "none", to the columns that have one. */
static int add_none(struct reader *r)
{
	if (vec_push(&r->images, "") || vec_push(&r->sources, "") ||
	    vec_push(&r->modules, ((struct dusk_module){.path = "", .build_id = ""})) ||
	    vec_push(&r->functions, ((struct dusk_function){"", "", ""})) ||
	    vec_push(&r->cgroups, ((struct dusk_cgroup){"", "", "", "", "", "", ""})) || !vec_add(&r->frames) ||
	    !vec_add(&r->nodes) || !vec_add(&r->wakers))
		return error_set(r->file.err, -ENOMEM, "cannot read %s: out of memory", r->file.path);
	return 0;
}

static void done(struct reader *r)
{
	vec_done(&r->images);
	vec_done(&r->sources);
	vec_done(&r->modules);
	vec_done(&r->functions);
	vec_done(&r->frames);
	vec_done(&r->lines);
	vec_done(&r->nodes);
	vec_done(&r->cgroups);
	vec_done(&r->threads);
	vec_done(&r->titled);
	vec_done(&r->samples);
	vec_done(&r->events);
	vec_done(&r->occurrences);
	vec_done(&r->thread_times);
	vec_done(&r->intervals);
	vec_done(&r->wakers);
	vec_done(&r->outcomes);
	vec_done(&r->counters);
	vec_done(&r->counted);
	vec_done(&r->window_counts);
	vec_done(&r->settings);
	profile_file_close(&r->file);
	dusk_profile_free(r->p);
}

/* Ids that cannot be are not left out, but refused. */
static const struct profile_cursor begin = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
				   end = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

/* Read the recording in @folder, or what is at @path if @folder is -1. @reached may be NULL. */
static int read_profile(struct dusk_profile **ret, int folder, const char *path, const struct profile_cursor *from,
			const struct profile_cursor *to, struct profile_cursor *reached, struct dusk_error *err)
{
	_cleanup_(done) struct reader r = {.file = PROFILE_FILE(path, err), .from = *from, .to = *to, .reached = *from};
	int rc;

	r.p = calloc(1, sizeof(*r.p));
	r.strings = r.p ? profile_strings(r.p) : NULL;
	if (!r.strings)
		return error_set(err, -ENOMEM, "cannot read %s: out of memory", path);
	rc = folder < 0 ? profile_file_open(&r.file) : profile_file_open_at(&r.file, folder);
	if (!rc)
		sqlite3_db_config(r.file.db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	rc = rc ?: check_header(&r);
	rc = rc ?: add_none(&r);
	for (size_t i = 0; !rc && i < NR_TABLES; i++)
		rc = read_table(&r, &tables[i]);
	rc = rc ?: spread_titles(&r);
	rc = rc ?: sort_samples(&r);
	if (rc)
		return rc;
	sort_occurrences(&r);
	hand_over(&r);
	*ret = steal(r.p);
	if (reached)
		*reached = r.reached;
	return 0;
}

int dusk_profile_read(struct dusk_profile **ret, const char *path, struct dusk_error *err)
{
	return read_profile(ret, -1, path, &begin, &end, NULL, err);
}

int profile_read_rows(struct dusk_profile **ret, const char *path, const struct profile_cursor *from,
		      const struct profile_cursor *to, struct profile_cursor *reached, struct dusk_error *err)
{
	return read_profile(ret, -1, path, from, to, reached, err);
}

int profile_read_at(struct dusk_profile **ret, int folder, const char *path, struct dusk_error *err)
{
	return read_profile(ret, folder, path, &begin, &end, NULL, err);
}

void dusk_profile_free(struct dusk_profile *p)
{
	if (!p)
		return;
	free(p->modules);
	free(p->functions);
	free(p->frames);
	free(p->lines);
	free(p->nodes);
	free(p->cgroups);
	free(p->threads);
	free(p->samples);
	free(p->events);
	free(p->occurrences);
	free(p->thread_times);
	free(p->wakers);
	free(p->outcomes);
	free(p->counters);
	free(p->window_counts);
	free(p->settings);
	if (p->store)
		strings_done(p->store);
	free(p->store);
	free(p);
}

const char *dusk_profile_setting(const struct dusk_profile *p, const char *key)
{
	for (uint32_t i = 0; i < p->nr_settings; i++)
		if (!strcmp(p->settings[i].key, key))
			return p->settings[i].value;
	return NULL;
}
