/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a recording to disk.
 *
 * There is one transaction per commit, in a write-ahead log (WAL): readers see what is committed, and a kill loses what
 * is not. Database and log are in a place of their own until the profile is complete (profile_place.h). Indexes of
 * modules, frames, nodes and threads are kept in memory, so that a sample costs one insert and no look-up on disk.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "abi/offcpu.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/strings.h"
#include "lib/profile/db.h"
#include "lib/profile/fdvfs.h"
#include "lib/profile/abi_names.h"
#include "lib/profile/window_counts.h"
#include "lib/profile/profile_place.h"
#include "lib/profile/profile_read.h"
#include "lib/profile/profile_recover.h"
#include "lib/profile/profile_save.h"
#include "lib/profile/profile_schema.h"
#include "lib/profile/profile_write.h"
#include "lib/profile/windows.h"

#define WAL_BYTES (4 << 20) /* length at which the log is written back to the database */

enum statement {
	BEGIN,
	COMMIT,
	SETTING,
	MODULE,
	MODULE_UPDATE,
	FRAME,
	NODE,
	THREAD,
	SAMPLE,
	INTERVAL,
	WAKER,
	THREAD_TIMES,
	COUNTER,
	PAGES,
	NR_STATEMENTS
};

static const char *const statement_sql[NR_STATEMENTS] = {
	[BEGIN] = "begin immediate",
	[COMMIT] = "commit",
	[SETTING] = "insert or replace into setting values(?,?)",
	[MODULE] = "insert into module values(?,?,?,?,?,?,?,?)",
	[MODULE_UPDATE] = "update module set path=coalesce(?2,path), build_id=coalesce(?3,build_id) where id=?1",
	[FRAME] = "insert into frame(id,module,offset,is_return,method) values(?,?,?,?,?)",
	[NODE] = "insert into node values(?,?,?)",
	[THREAD] = "insert into thread values(?,?,?,?,?)",
	[SAMPLE] = "insert into sample(time,thread,node,cpu,outcome) values(?,?,?,?,?)",
	[INTERVAL] = ("insert into offcpu(time,thread,node,cpu,outcome,state,value,runnable,nr,id) "
		      "values(?,?,?,?,?,?,?,?,?,?)"),
	[WAKER] = "insert into waker values(?,?,?,?,?)",
	[THREAD_TIMES] = "insert into thread_times values(null,?,?,?,?,?,?,?)",
	[COUNTER] = "insert or replace into counter values(?,?,?)",
	[PAGES] = "pragma page_count",
};

struct profile_writer {
	struct place place;
	struct fdvfs vfs;
	sqlite3 *db;
	sqlite3_stmt *stmt[NR_STATEMENTS];
	sqlite3_stmt *weighed;			  /* inserts a sample with a value of its own; NULL: none so far */
	sqlite3_stmt *event, *occurrence;	  /* NULL: none so far */
	sqlite3_stmt *title, *cgroup, *of_thread; /* likewise */
	sqlite3_stmt *window, *counted, *window_count;
	bool in_transaction;
	int error; /* the first one, sticky */
	struct dusk_error why;

	struct windows windows;
	struct window_counts counts; /* of the open window */
	uint32_t nr_counted;
	struct map modules; /* index of the content in @contents -> module */
	struct strings contents;
	struct map nodes; /* parent, frame -> node */
	struct strings frames, threads, cgroups;
	uint32_t nr_modules, nr_events;
	uint64_t nr_intervals; /* numbers given out */
};

/* The identity of frames and threads. There is no padding: they are hashed and compared as bytes. */
struct frame_key {
	uint64_t offset;
	uint32_t module;
	uint16_t is_return, method;
};

struct thread_key {
	pid_t pid, tid;
	uint32_t cgroup, again; /* again: its own number plus one, if it is another thread than those before it */
	char comm[24];
};

static void fail_db(struct profile_writer *w, int rc)
{
	if (!w->error && rc)
		w->error = db_error(w->db, rc, &w->why, "cannot write", w->place.path);
}

static void fail_memory(struct profile_writer *w)
{
	if (!w->error)
		w->error = error_set(&w->why, -ENOMEM, "cannot write %s: out of memory", w->place.path);
}

/* Return the statement, in a transaction, or NULL after an error. */
static sqlite3_stmt *begin(struct profile_writer *w, enum statement which)
{
	if (!w->error && !w->in_transaction) {
		fail_db(w, db_run(w->stmt[BEGIN]));
		w->in_transaction = !w->error;
	}
	return w->error ? NULL : w->stmt[which];
}

static void run(struct profile_writer *w, sqlite3_stmt *stmt)
{
	fail_db(w, db_run(stmt));
}

/* Bind text that the caller keeps until the statement has run. */
static void bind_text(sqlite3_stmt *stmt, int column, const char *text)
{
	if (text && *text)
		sqlite3_bind_text(stmt, column, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(stmt, column);
}

static int insert_outcomes(sqlite3 *db)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = db_prepare(&stmt, db, "insert into outcome values(?,?,?,?)");

	for (int i = 0; !rc && i < NR_OUTCOMES; i++) {
		sqlite3_bind_int(stmt, 1, i);
		bind_text(stmt, 2, outcomes[i].name);
		bind_text(stmt, 3, outcome_classes[outcomes[i].kind]);
		bind_text(stmt, 4, outcomes[i].sentence);
		rc = db_run(stmt);
	}
	return rc;
}

static int insert_states(sqlite3 *db)
{
	static const char *const states[][2] = {
#define X(code, name, sentence) {name, sentence},
		OFFCPU_REASONS(X)
#undef X
	};
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = db_prepare(&stmt, db, "insert into state values(?,?,?)");

	for (int i = 0; !rc && i < NR_OFFCPU_REASONS; i++) {
		sqlite3_bind_int(stmt, 1, i);
		bind_text(stmt, 2, states[i][0]);
		bind_text(stmt, 3, states[i][1]);
		rc = db_run(stmt);
	}
	return rc;
}

static int make_schema(sqlite3 *db)
{
	char sql[320];
	int rc;

	/*
	 * The journal is in memory until there is a log: a journal file would need a name. Automatic checkpoints are
	 * off, as the log is written back only while there are no readers.
	 */
	snprintf(sql, sizeof(sql),
		 "pragma journal_mode=memory; pragma page_size=%d; pragma application_id=%d; pragma user_version=%d;"
		 "pragma journal_mode=wal; pragma synchronous=normal; pragma wal_autocheckpoint=0; pragma "
		 "temp_store=memory;"
		 "begin immediate",
		 PROFILE_PAGE_BYTES, PROFILE_APPLICATION_ID, PROFILE_VERSION);
	rc = db_exec(db, sql);
	rc = rc ?: db_exec(db, PROFILE_TABLES PROFILE_VIEWS);
	rc = rc ?: insert_outcomes(db);
	rc = rc ?: insert_states(db);
	return rc ?: db_exec(db, "commit");
}

static void finalize_all(struct profile_writer *w)
{
	for (int i = 0; i < NR_STATEMENTS; i++)
		sqlite3_finalize(steal(w->stmt[i]));
	sqlite3_finalize(steal(w->weighed));
	sqlite3_finalize(steal(w->event));
	sqlite3_finalize(steal(w->cgroup));
	sqlite3_finalize(steal(w->of_thread));
	sqlite3_finalize(steal(w->occurrence));
	sqlite3_finalize(steal(w->title));
	sqlite3_finalize(steal(w->window));
	sqlite3_finalize(steal(w->counted));
	sqlite3_finalize(steal(w->window_count));
}

/* Close the database, but keep its place. */
static void writer_done(struct profile_writer *w)
{
	finalize_all(w);
	sqlite3_close(w->db);
	w->db = NULL;
	windows_done(&w->windows);
	window_counts_done(&w->counts);
	map_done(&w->modules);
	map_done(&w->nodes);
	strings_done(&w->contents);
	strings_done(&w->frames);
	strings_done(&w->threads);
	strings_done(&w->cgroups);
}

void profile_discard(struct profile_writer *w)
{
	if (!w)
		return;
	writer_done(w);
	place_discard(&w->place);
	place_done(&w->place);
	free(w);
}

static void writer_freep(struct profile_writer **w)
{
	profile_discard(*w);
}

int profile_create(struct profile_writer **ret, const char *path, uid_t uid, gid_t gid, struct dusk_error *err)
{
	_cleanup_(writer_freep) struct profile_writer *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return error_set(err, -ENOMEM, "cannot create %s: out of memory", path);
	w->place = (struct place)PLACE_NONE;
	rc = profile_take_fresh(&w->place, path, uid, gid, err);
	if (rc)
		return rc;
	w->vfs = (struct fdvfs){.db = w->place.db, .wal = w->place.wal, .writable = true};
	rc = fdvfs_open(&w->vfs, &w->db);
	rc = rc ?: make_schema(w->db);
	for (int i = 0; !rc && i < NR_STATEMENTS; i++)
		rc = db_prepare(&w->stmt[i], w->db, statement_sql[i]);
	if (rc)
		return db_error(w->db, rc, err, "cannot create", path);
	*ret = steal(w);
	return 0;
}

void profile_set(struct profile_writer *w, const char *key, const char *value)
{
	sqlite3_stmt *stmt = begin(w, SETTING);

	if (!stmt)
		return;
	bind_text(stmt, 1, key);
	bind_text(stmt, 2, value);
	run(w, stmt);
}

void profile_set_u64(struct profile_writer *w, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	profile_set(w, key, text);
}

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* Return the slot of @m's content in w->modules, or NULL. */
static uint32_t *module_at(struct profile_writer *w, const struct dusk_module *m, bool *fresh)
{
	_cleanup_(freep) char *content = NULL;
	uint32_t number;
	int len = asprintf(&content, "%d %d %llx %llx %x %s %s", m->kind, m->kind == DUSK_MODULE_ANON ? m->pid : 0,
			   (unsigned long long)m->dev, (unsigned long long)m->ino, m->generation,
			   text_or_empty(m->build_id), text_or_empty(m->path));

	if (len < 0) {
		content = NULL;
		return NULL;
	}
	return strings_number(&w->contents, content, len, &number, NULL) ? NULL : map_at(&w->modules, number, fresh);
}

uint32_t profile_module(struct profile_writer *w, const struct dusk_module *m)
{
	sqlite3_stmt *stmt = begin(w, MODULE);
	uint32_t *module;
	bool fresh;

	if (!stmt)
		return 0;
	module = module_at(w, m, &fresh);
	if (!module) {
		fail_memory(w);
		return 0;
	}
	if (!fresh)
		return *module;
	*module = ++w->nr_modules;
	sqlite3_bind_int64(stmt, 1, *module);
	sqlite3_bind_int(stmt, 2, m->kind);
	sqlite3_bind_int(stmt, 3, m->pid);
	bind_text(stmt, 4, m->path);
	bind_text(stmt, 5, m->build_id);
	sqlite3_bind_int64(stmt, 6, m->dev);
	sqlite3_bind_int64(stmt, 7, m->ino);
	sqlite3_bind_int64(stmt, 8, m->generation);
	run(w, stmt);
	return *module;
}

void profile_module_update(struct profile_writer *w, uint32_t module, const struct dusk_module *m)
{
	sqlite3_stmt *stmt = begin(w, MODULE_UPDATE);
	uint32_t *known;
	bool fresh;

	if (!stmt)
		return;
	/* From now on the full content means this module, too. */
	known = module_at(w, m, &fresh);
	if (!known) {
		fail_memory(w);
		return;
	}
	if (fresh)
		*known = module;
	sqlite3_bind_int64(stmt, 1, module);
	bind_text(stmt, 2, m->path);
	bind_text(stmt, 3, m->build_id);
	run(w, stmt);
}

uint32_t profile_frame(struct profile_writer *w, uint32_t module, uint64_t offset, bool is_return,
		       enum dusk_method method)
{
	struct frame_key key = {.offset = offset, .module = module, .is_return = is_return, .method = method};
	sqlite3_stmt *stmt = begin(w, FRAME);
	uint32_t number;
	bool fresh;

	if (!stmt)
		return 0;
	if (strings_number(&w->frames, &key, sizeof(key), &number, &fresh)) {
		fail_memory(w);
		return 0;
	}
	if (!fresh)
		return number + 1;
	sqlite3_bind_int64(stmt, 1, number + 1);
	sqlite3_bind_int64(stmt, 2, module);
	sqlite3_bind_int64(stmt, 3, offset);
	sqlite3_bind_int(stmt, 4, is_return);
	sqlite3_bind_int(stmt, 5, method);
	run(w, stmt);
	return number + 1;
}

uint32_t profile_node(struct profile_writer *w, uint32_t parent, uint32_t frame)
{
	sqlite3_stmt *stmt = begin(w, NODE);
	uint32_t *node;
	bool fresh;

	if (!stmt)
		return 0;
	node = map_at(&w->nodes, (uint64_t)parent << 32 | frame, &fresh);
	if (!node) {
		fail_memory(w);
		return 0;
	}
	if (!fresh)
		return *node;
	*node = w->nodes.nr;
	sqlite3_bind_int64(stmt, 1, *node);
	sqlite3_bind_int64(stmt, 2, parent);
	sqlite3_bind_int64(stmt, 3, frame);
	run(w, stmt);
	return *node;
}

static uint32_t add_thread(struct profile_writer *w, struct thread_key *key, const char *comm)
{
	sqlite3_stmt *stmt = begin(w, THREAD);
	uint32_t number;
	bool fresh;

	if (!stmt)
		return 0;
	snprintf(key->comm, sizeof(key->comm), "%.16s", text_or_empty(comm));
	if (strings_number(&w->threads, key, sizeof(*key), &number, &fresh)) {
		fail_memory(w);
		return 0;
	}
	if (!fresh)
		return number;
	sqlite3_bind_int64(stmt, 1, number);
	sqlite3_bind_int(stmt, 2, key->pid);
	sqlite3_bind_int(stmt, 3, key->tid);
	bind_text(stmt, 4, key->comm);
	if (key->cgroup)
		sqlite3_bind_int64(stmt, 5, key->cgroup);
	else
		sqlite3_bind_null(stmt, 5);
	run(w, stmt);
	return number;
}

uint32_t profile_thread_in(struct profile_writer *w, uint32_t cgroup, pid_t pid, pid_t tid, const char *comm)
{
	return add_thread(w, &(struct thread_key){.pid = pid, .tid = tid, .cgroup = cgroup}, comm);
}

uint32_t profile_thread_anew(struct profile_writer *w, uint32_t cgroup, pid_t pid, pid_t tid, const char *comm)
{
	struct thread_key key = {.pid = pid, .tid = tid, .cgroup = cgroup, .again = w->threads.nr + 1};

	return add_thread(w, &key, comm);
}

uint32_t profile_thread(struct profile_writer *w, pid_t pid, pid_t tid, const char *comm)
{
	return profile_thread_in(w, 0, pid, tid, comm);
}

bool profile_thread_ids(const struct profile_writer *w, uint32_t thread, pid_t *pid, pid_t *tid)
{
	struct thread_key key;

	if (thread >= w->threads.nr)
		return false;
	memcpy(&key, strings_text(&w->threads, thread), sizeof(key)); /* it is not aligned */
	*pid = key.pid;
	*tid = key.tid;
	return true;
}

static void make_label_tables(struct profile_writer *w)
{
	fail_db(w, db_exec(w->db, PROFILE_LABEL_TABLES));
	if (!w->error)
		fail_db(w, db_prepare(&w->title, w->db, "insert or replace into title values(?,?,?,?)"));
	if (!w->error)
		fail_db(w, db_prepare(&w->cgroup, w->db, "insert or replace into cgroup values(?,?,?,?,?,?,?,?)"));
	if (!w->error)
		fail_db(w, db_prepare(&w->of_thread, w->db, "update thread set cgroup=? where id=?"));
}

static bool begin_labels(struct profile_writer *w)
{
	if (begin(w, THREAD) && !w->title)
		make_label_tables(w);
	return !w->error;
}

void profile_process(struct profile_writer *w, uint32_t thread, const struct profile_process *p)
{
	if (!begin_labels(w))
		return;
	sqlite3_bind_int64(w->title, 1, thread);
	bind_text(w->title, 2, p->title);
	bind_text(w->title, 3, p->service);
	bind_text(w->title, 4, p->version);
	run(w, w->title);
}

uint32_t profile_cgroup(struct profile_writer *w, const struct dusk_cgroup *c)
{
	const char *const texts[] = {c->path, c->container, c->container_name, c->pod, c->pod_namespace,
				     c->unit, c->host};
	_cleanup_(freep) char *key = NULL;
	uint32_t number;
	int len;

	if (!begin_labels(w))
		return 0;
	len = asprintf(&key, "%s%c%s", text_or_empty(c->host), 0, c->path);
	if (len < 0)
		key = NULL;
	if (!key || strings_number(&w->cgroups, key, len, &number, NULL)) {
		fail_memory(w);
		return 0;
	}
	sqlite3_bind_int64(w->cgroup, 1, ++number);
	for (int i = 0; i < 7; i++)
		bind_text(w->cgroup, i + 2, texts[i]);
	run(w, w->cgroup);
	return number;
}

void profile_thread_cgroup(struct profile_writer *w, uint32_t thread, uint32_t cgroup)
{
	if (!cgroup || !begin_labels(w))
		return;
	sqlite3_bind_int64(w->of_thread, 1, cgroup);
	sqlite3_bind_int64(w->of_thread, 2, thread);
	run(w, w->of_thread);
}

/* Bind the columns that samples, off-CPU intervals and events have in common. */
static void bind_sample(sqlite3_stmt *stmt, const struct dusk_sample *s)
{
	sqlite3_bind_int64(stmt, 1, s->time_ns / 1000);
	sqlite3_bind_int64(stmt, 2, s->thread);
	sqlite3_bind_int64(stmt, 3, s->node);
	if (s->cpu == DUSK_NO_CPU)
		sqlite3_bind_null(stmt, 4);
	else
		sqlite3_bind_int(stmt, 4, s->cpu);
	sqlite3_bind_int(stmt, 5, s->outcome);
}

/*
 * Create the column "value" when it is first needed: if all samples stand for the period, it would cost a byte for
 * each.
 */
static sqlite3_stmt *begin_weighed(struct profile_writer *w)
{
	if (!begin(w, SAMPLE) || w->weighed)
		return w->error ? NULL : w->weighed;
	fail_db(w, db_exec(w->db, "alter table sample add column value int"));
	if (!w->error)
		fail_db(w, db_prepare(&w->weighed, w->db,
				      "insert into sample(time,thread,node,cpu,outcome,value) values(?,?,?,?,?,?)"));
	return w->weighed;
}

void profile_sum_windows(struct profile_writer *w, uint64_t length_ns)
{
	w->windows.length_ns = length_ns;
	if (!begin(w, SAMPLE))
		return;
	fail_db(w, db_exec(w->db, PROFILE_WINDOW_TABLES));
	if (!w->error)
		fail_db(w, db_prepare(&w->window, w->db, "insert into window(start,length,rows) values(?,?,?)"));
	if (!w->error)
		fail_db(w, db_prepare(&w->counted, w->db, "insert into counted values(?,?)"));
	if (!w->error)
		fail_db(w, db_prepare(&w->window_count, w->db,
				      "insert into window_count(start,counted,value) values(?,?,?)"));
}

/* Names are numbered in the order in which they have something to say, from 1. */
static void write_counts(struct profile_writer *w)
{
	for (size_t i = 0; i < w->counts.by_name.nr && begin(w, COUNTER); i++) {
		struct window_count *c = &w->counts.by_name.v[i];

		if (i >= w->nr_counted) {
			sqlite3_bind_int64(w->counted, 1, ++w->nr_counted);
			bind_text(w->counted, 2, strings_text(&w->counts.names, i));
			run(w, w->counted);
		}
		if (!c->open)
			continue;
		sqlite3_bind_int64(w->window_count, 1, w->windows.start_ns / 1000);
		sqlite3_bind_int64(w->window_count, 2, i + 1);
		sqlite3_bind_int64(w->window_count, 3, c->open);
		run(w, w->window_count);
		c->open = 0;
	}
}

/* Write the sums that the open window has. */
static void write_window(struct profile_writer *w)
{
	_cleanup_(freep) uint8_t *rows = NULL;
	size_t len;

	if (!w->windows.rows.nr || !begin(w, SAMPLE))
		return;
	if (windows_encode(&w->windows, &rows, &len)) {
		fail_memory(w);
		return;
	}
	sqlite3_bind_int64(w->window, 1, w->windows.start_ns / 1000);
	sqlite3_bind_int64(w->window, 2, w->windows.length_ns / 1000);
	sqlite3_bind_blob64(w->window, 3, rows, len, SQLITE_STATIC);
	run(w, w->window);
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
	write_window(w);
	write_counts(w);
	w->windows.start_ns = time_ns - time_ns % length_ns;
}

static void add_to_window(struct profile_writer *w, const struct dusk_sample *s)
{
	if (windows_add(&w->windows, s))
		fail_memory(w);
	else if (windows_are_full(&w->windows))
		write_window(w);
}

void profile_sample(struct profile_writer *w, const struct dusk_sample *s)
{
	sqlite3_stmt *stmt;

	if (windows_sums(&w->windows, s)) {
		add_to_window(w, s);
		return;
	}
	if (s->source != DUSK_CPU) {
		profile_interval(w, s, profile_new_interval(w));
		return;
	}
	stmt = s->value_ns ? begin_weighed(w) : begin(w, SAMPLE);
	if (!stmt)
		return;
	bind_sample(stmt, s);
	if (s->value_ns)
		sqlite3_bind_int64(stmt, 6, s->value_ns);
	run(w, stmt);
}

uint64_t profile_new_interval(struct profile_writer *w)
{
	return ++w->nr_intervals;
}

void profile_interval(struct profile_writer *w, const struct dusk_sample *s, uint64_t interval)
{
	sqlite3_stmt *stmt = begin(w, INTERVAL);

	if (!stmt)
		return;
	bind_sample(stmt, s);
	sqlite3_bind_int(stmt, 6, s->state);
	sqlite3_bind_int64(stmt, 7, s->value_ns);
	sqlite3_bind_int64(stmt, 8, s->runnable_ns);
	sqlite3_bind_int64(stmt, 9, s->count);
	sqlite3_bind_int64(stmt, 10, interval);
	run(w, stmt);
}

void profile_waker(struct profile_writer *w, const struct dusk_waker *by, uint64_t interval)
{
	sqlite3_stmt *stmt = begin(w, WAKER);

	if (!stmt)
		return;
	sqlite3_bind_int64(stmt, 1, interval);
	sqlite3_bind_int64(stmt, 3, by->node);
	sqlite3_bind_int(stmt, 5, by->kind);
	if (by->kind == DUSK_WAKER_TASK) {
		sqlite3_bind_int64(stmt, 2, by->thread);
		sqlite3_bind_int(stmt, 4, by->outcome);
	} else {
		sqlite3_bind_null(stmt, 2);
		sqlite3_bind_null(stmt, 4);
	}
	run(w, stmt);
}

/* Create the tables when they are first needed: without events they would take several pages for nothing. */
static void make_event_tables(struct profile_writer *w)
{
	fail_db(w, db_exec(w->db, PROFILE_EVENT_TABLES));
	if (!w->error)
		fail_db(w, db_prepare(&w->event, w->db, "insert into event values(?,?)"));
	if (!w->error)
		fail_db(w, db_prepare(&w->occurrence, w->db,
				      "insert into occurrence(time,thread,node,cpu,outcome,event,fields) "
				      "values(?,?,?,?,?,?,?)"));
}

void profile_event(struct profile_writer *w, const char *name)
{
	if (begin(w, SAMPLE) && !w->event)
		make_event_tables(w);
	if (w->error)
		return;
	sqlite3_bind_int64(w->event, 1, w->nr_events++);
	bind_text(w->event, 2, name);
	run(w, w->event);
}

void profile_occurrence(struct profile_writer *w, const struct dusk_occurrence *o)
{
	assert(w->error || o->event < w->nr_events);
	if (!begin(w, SAMPLE))
		return;
	bind_sample(w->occurrence, &o->sample);
	sqlite3_bind_int64(w->occurrence, 6, o->event);
	bind_text(w->occurrence, 7, o->fields);
	run(w, w->occurrence);
}

void profile_thread_times(struct profile_writer *w, const struct dusk_thread_times *l)
{
	sqlite3_stmt *stmt = begin(w, THREAD_TIMES);

	if (!stmt)
		return;
	sqlite3_bind_int64(stmt, 1, l->thread);
	sqlite3_bind_int64(stmt, 2, l->start_ns);
	sqlite3_bind_int64(stmt, 3, l->end_ns);
	sqlite3_bind_int64(stmt, 4, l->on_cpu_ns);
	sqlite3_bind_int64(stmt, 5, l->runnable_ns);
	sqlite3_bind_int64(stmt, 6, l->blocked_ns);
	sqlite3_bind_int64(stmt, 7, l->intervals);
	run(w, stmt);
}

void profile_counter(struct profile_writer *w, const char *name, const char *sentence, uint64_t value)
{
	sqlite3_stmt *stmt = begin(w, COUNTER);

	if (!stmt)
		return;
	bind_text(stmt, 1, name);
	sqlite3_bind_int64(stmt, 2, value);
	bind_text(stmt, 3, sentence);
	run(w, stmt);
}

void profile_count(struct profile_writer *w, const char *name, const char *sentence, uint64_t value)
{
	profile_counter(w, name, sentence, value);
	if (w->windows.length_ns && window_counts_has(name) && window_counts_total(&w->counts, name, value))
		fail_memory(w);
}

void profile_counted(struct profile_writer *w, const char *name, uint64_t n)
{
	if (window_counts_add(&w->counts, name, n))
		fail_memory(w);
}

/* Write the log back if it is long and no reader uses it. Readers hold it only briefly, so a later commit succeeds. */
static void shorten_log(struct profile_writer *w)
{
	struct stat st;

	if (fstat(w->place.wal, &st) || st.st_size < WAL_BYTES || place_lock(&w->place, false))
		return;
	fail_db(w, sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
	place_unlock(&w->place);
}

int profile_commit(struct profile_writer *w, struct dusk_error *err)
{
	if (!w->error && w->in_transaction) {
		fail_db(w, db_run(w->stmt[COMMIT]));
		w->in_transaction = false;
		if (!w->error)
			shorten_log(w);
	}
	return w->error ? error_set(err, w->error, "%s", w->why.text) : 0;
}

int profile_finish(struct profile_writer *w, struct dusk_error *err)
{
	write_window(w);
	write_counts(w);
	profile_set(w, "finished", "1");
	return profile_commit(w, err);
}

int profile_read_so_far(const struct profile_writer *w, struct dusk_profile **ret, struct dusk_error *err)
{
	return profile_read_at(ret, w->place.folder, w->place.path, err);
}

int profile_save_names(struct profile_writer *w, const struct dusk_profile *p, struct dusk_error *err)
{
	int rc = profile_commit(w, err);

	if (rc)
		return rc;
	rc = names_save(w->db, p);
	if (rc)
		rc = db_error(w->db, rc, err, "cannot write symbols to", w->place.path);
	if (!sqlite3_get_autocommit(w->db))
		db_exec(w->db, "rollback");
	return rc;
}

uint64_t profile_bytes(const struct profile_writer *w)
{
	sqlite3_stmt *stmt = w->stmt[PAGES];
	uint64_t pages = 0;

	if (sqlite3_step(stmt) == SQLITE_ROW)
		pages = sqlite3_column_int64(stmt, 0);
	sqlite3_reset(stmt);
	return pages * PROFILE_PAGE_BYTES;
}

/*
 * Write why the recording ended early, if it did. On a full disk this may fail as well: the log has room again where
 * the failed transaction had begun to write, and the database where the log was removed.
 */
static void note_end(struct profile_writer *w)
{
	char *sql =
		w->error ? sqlite3_mprintf("insert or replace into setting values('ended_by',%Q)", strerror(-w->error))
			 : NULL;

	if (sql)
		db_exec(w->db, sql);
	sqlite3_free(sql);
}

/*
 * Make it one file, under its name. Try also after an error: what was committed before may fit into the database, which
 * grows more slowly than the log.
 */
static int publish(struct profile_writer *w, struct dusk_error *err)
{
	int rc = place_lock(&w->place, true);

	if (rc)
		return error_set(err, rc, "somebody reads it just now");
	rc = db_leave_wal(w->db);
	if (rc) {
		place_unlock(&w->place);
		return db_error(w->db, rc, err, "cannot write", w->place.path);
	}
	note_end(w);
	writer_done(w);
	return place_publish(&w->place, err);
}

int profile_close(struct profile_writer *w, bool finished, struct dusk_error *err)
{
	struct dusk_error why = {""};
	int rc, published;

	write_window(w);
	write_counts(w);
	if (finished)
		profile_set(w, "finished", "1");
	profile_commit(w, NULL);
	rc = w->error;
	finalize_all(w);
	if (!sqlite3_get_autocommit(w->db))
		db_exec(w->db, "rollback");
	note_end(w);
	published = publish(w, &why);
	if (rc && !published)
		error_set(err, rc, "%s; what was recorded before is in it", w->why.text);
	else if (published)
		error_set(err, rc,
			  "%s; what was recorded is in %s" PLACE_SUFFIX ": dusk info -i %s" PLACE_SUFFIX
			  " reads it, and "
			  "dusk recover -i %s makes it a profile",
			  rc ? w->why.text : why.text, w->place.path, w->place.path, w->place.path);
	writer_done(w);
	place_done(&w->place);
	free(w);
	return rc ? rc : published;
}
