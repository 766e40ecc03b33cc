/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a recording to disk.
 *
 * There is one transaction per commit, in a write-ahead log (WAL): readers see what is committed, and a kill loses what
 * is not. Database and log are in a place of their own until the profile is complete (lib/profile/file/place.h). Indexes of
 * modules, frames, nodes and threads are kept in memory, so that a sample costs one insert and no look-up on disk.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "abi/offcpu.h"
#include "base/cleanup.h"
#include "lib/profile/file/abi_names.h"
#include "lib/profile/read/read.h"
#include "lib/profile/file/recover.h"
#include "lib/profile/write/save.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/write/writer.h"

#define WAL_BYTES (4 << 20) /* length at which the log is written back to the database */

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
	[INTERVAL] =
		"insert into offcpu(time,thread,node,cpu,outcome,state,value,runnable,nr) values(?,?,?,?,?,?,?,?,?)",
	[WAKER] = "insert into waker values(?,?,?,?,?)",
	[THREAD_TIMES] = "insert into thread_times values(null,?,?,?,?,?,?,?)",
	[COUNTER] = "insert or replace into counter values(?,?,?)",
	[PAGES] = "pragma page_count",
};

void writer_fail_db(struct profile_writer *w, int rc)
{
	if (!w->error && rc)
		w->error = db_error(w->db, rc, &w->why, "cannot write", w->place.path);
}

void writer_fail_memory(struct profile_writer *w)
{
	if (!w->error)
		w->error = error_set(&w->why, -ENOMEM, "cannot write %s: out of memory", w->place.path);
}

sqlite3_stmt *writer_begin(struct profile_writer *w, enum statement which)
{
	if (!w->error && !w->in_transaction) {
		writer_fail_db(w, db_run(w->stmt[BEGIN]));
		w->in_transaction = !w->error;
	}
	return w->error ? NULL : w->stmt[which];
}

void writer_run(struct profile_writer *w, sqlite3_stmt *stmt)
{
	writer_fail_db(w, db_run(stmt));
}

void writer_bind_text(struct profile_writer *w, sqlite3_stmt *stmt, int column, const char *text)
{
	if (text && *text)
		w->nr_cut += db_bind_name(stmt, column, text);
	else
		sqlite3_bind_null(stmt, column);
}

void writer_bind_name(struct profile_writer *w, sqlite3_stmt *stmt, int column, const char *name)
{
	writer_bind_text(w, stmt, column, name && *name ? name : PROFILE_NO_NAME);
}

void writer_bind_ns(sqlite3_stmt *stmt, int column, uint64_t ns)
{
	sqlite3_bind_int64(stmt, column, ns < PROFILE_MAX_NS ? ns : PROFILE_MAX_NS);
}

void writer_bind_pid(sqlite3_stmt *stmt, int column, pid_t pid)
{
	sqlite3_bind_int(stmt, column, pid < 0 ? 0 : pid);
}

static int insert_outcomes(sqlite3 *db)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	int rc = db_prepare(&stmt, db, "insert into outcome values(?,?,?,?)");

	for (int i = 0; !rc && i < NR_OUTCOMES; i++) {
		sqlite3_bind_int(stmt, 1, i);
		sqlite3_bind_text(stmt, 2, outcomes[i].name, -1, SQLITE_STATIC);
		sqlite3_bind_text(stmt, 3, outcome_classes[outcomes[i].kind], -1, SQLITE_STATIC);
		sqlite3_bind_text(stmt, 4, outcomes[i].sentence, -1, SQLITE_STATIC);
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
		sqlite3_bind_text(stmt, 2, states[i][0], -1, SQLITE_STATIC);
		sqlite3_bind_text(stmt, 3, states[i][1], -1, SQLITE_STATIC);
		rc = db_run(stmt);
	}
	return rc;
}

/* Begin a transaction, and make the tables in it: who reads a database that has them finds what its first commit had. */
static int make_schema(sqlite3 *db)
{
	char sql[352];
	int rc;

	/*
	 * The journal is in memory until there is a log: a journal file would need a name. Automatic checkpoints are
	 * off, as the log is written back only while there are no readers.
	 */
	snprintf(sql, sizeof(sql),
		 "pragma journal_mode=memory; pragma page_size=%d; pragma auto_vacuum=incremental; "
		 "pragma application_id=%d; pragma user_version=%d;"
		 "pragma journal_mode=wal; pragma synchronous=normal; pragma wal_autocheckpoint=0; pragma "
		 "temp_store=memory;"
		 "begin immediate",
		 PROFILE_PAGE_BYTES, PROFILE_APPLICATION_ID, PROFILE_VERSION);
	rc = db_exec(db, sql);
	rc = rc ?: db_exec(db, PROFILE_TABLES PROFILE_VIEWS);
	rc = rc ?: insert_outcomes(db);
	return rc ?: insert_states(db);
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
	writer_finalize_code(w);
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
	map_done(&w->unpaired);
	vec_done(&w->halves);
	strings_done(&w->contents);
	keys_done(&w->frames);
	keys_done(&w->nodes);
	keys_done(&w->threads);
	strings_done(&w->cgroups);
	writer_code_done(w);
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

static struct profile_writer *writer_new(struct dusk_error *err)
{
	struct profile_writer *w = calloc(1, sizeof(*w));

	if (w)
		w->place = (struct place)PLACE_NONE;
	else
		error_set(err, -ENOMEM, "cannot write a profile: out of memory");
	return w;
}

/* Begin a database in the place of @w. */
static int begin(struct profile_writer *w, struct dusk_error *err)
{
	int rc;

	w->vfs = (struct fdvfs){.db = w->place.db, .wal = w->place.wal, .writable = true};
	rc = fdvfs_open(&w->vfs, &w->db);
	rc = rc ?: make_schema(w->db);
	w->in_transaction = !rc;
	for (int i = 0; !rc && i < NR_STATEMENTS; i++)
		rc = db_prepare(&w->stmt[i], w->db, statement_sql[i]);
	return rc ? db_error(w->db, rc, err, "cannot create", w->place.path) : 0;
}

int profile_create(struct profile_writer **ret, const char *path, uid_t uid, gid_t gid, struct dusk_error *err)
{
	_cleanup_(writer_freep) struct profile_writer *w = writer_new(err);
	int rc = w ? profile_take_fresh(&w->place, path, uid, gid, err) : -ENOMEM;

	rc = rc ?: begin(w, err);
	if (!rc)
		*ret = steal(w);
	return rc;
}

int profile_create_unnamed(struct profile_writer **ret, int fd, struct dusk_error *err)
{
	_cleanup_(writer_freep) struct profile_writer *w = writer_new(err);
	int rc = w ? place_take_unnamed(&w->place, fd, err) : -ENOMEM;

	rc = rc ?: begin(w, err);
	if (!rc)
		*ret = steal(w);
	return rc;
}

void profile_set(struct profile_writer *w, const char *key, const char *value)
{
	sqlite3_stmt *stmt = writer_begin(w, SETTING);

	if (!stmt)
		return;
	writer_bind_name(w, stmt, 1, key);
	writer_bind_text(w, stmt, 2, value);
	writer_run(w, stmt);
}

void profile_set_u64(struct profile_writer *w, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	profile_set(w, key, text);
}

/* Bind the columns that samples, off-CPU intervals and events have in common. */
void writer_bind_sample(sqlite3_stmt *stmt, const struct dusk_sample *s)
{
	sqlite3_bind_int64(stmt, 1, (s->time_ns < PROFILE_MAX_NS ? s->time_ns : PROFILE_MAX_NS) / 1000);
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
	if (!writer_begin(w, SAMPLE) || w->weighed)
		return w->error ? NULL : w->weighed;
	writer_fail_db(w, db_exec(w->db, "alter table sample add column value int"));
	if (!w->error)
		writer_fail_db(
			w, db_prepare(&w->weighed, w->db,
				      "insert into sample(time,thread,node,cpu,outcome,value) values(?,?,?,?,?,?)"));
	return w->weighed;
}

void profile_sample(struct profile_writer *w, const struct dusk_sample *s)
{
	sqlite3_stmt *stmt;

	if (windows_sums(&w->windows, s)) {
		writer_add_to_window(w, s);
		return;
	}
	if (s->source != DUSK_CPU) {
		profile_new_interval(w);
		writer_interval(w, s);
		return;
	}
	stmt = s->value_ns ? begin_weighed(w) : writer_begin(w, SAMPLE);
	if (!stmt)
		return;
	writer_bind_sample(stmt, s);
	if (s->value_ns)
		writer_bind_ns(stmt, 6, s->value_ns);
	writer_run(w, stmt);
}

/* Create the tables when they are first needed: without events they would take several pages for nothing. */
static void make_event_tables(struct profile_writer *w)
{
	writer_fail_db(w, db_exec(w->db, PROFILE_EVENT_TABLES));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->event, w->db, "insert into event values(?,?)"));
	if (!w->error)
		writer_fail_db(w, db_prepare(&w->occurrence, w->db,
					     "insert into occurrence(time,thread,node,cpu,outcome,event,fields) "
					     "values(?,?,?,?,?,?,?)"));
}

void profile_event(struct profile_writer *w, const char *name)
{
	if (writer_begin(w, SAMPLE) && !w->event)
		make_event_tables(w);
	if (w->error)
		return;
	sqlite3_bind_int64(w->event, 1, w->nr_events++);
	writer_bind_name(w, w->event, 2, name);
	writer_run(w, w->event);
}

void profile_occurrence(struct profile_writer *w, const struct dusk_occurrence *o)
{
	assert(w->error || o->event < w->nr_events);
	if (!writer_begin(w, SAMPLE))
		return;
	writer_bind_sample(w->occurrence, &o->sample);
	sqlite3_bind_int64(w->occurrence, 6, o->event);
	writer_bind_text(w, w->occurrence, 7, o->fields);
	writer_run(w, w->occurrence);
}

void profile_thread_times(struct profile_writer *w, const struct dusk_thread_times *l)
{
	sqlite3_stmt *stmt = writer_begin(w, THREAD_TIMES);

	if (!stmt)
		return;
	sqlite3_bind_int64(stmt, 1, l->thread);
	writer_bind_ns(stmt, 2, l->start_ns);
	writer_bind_ns(stmt, 3, l->end_ns > l->start_ns ? l->end_ns : l->start_ns);
	writer_bind_ns(stmt, 4, l->on_cpu_ns);
	writer_bind_ns(stmt, 5, l->runnable_ns);
	writer_bind_ns(stmt, 6, l->blocked_ns);
	sqlite3_bind_int64(stmt, 7, l->intervals < UINT32_MAX ? l->intervals : UINT32_MAX);
	writer_run(w, stmt);
}

void profile_counter(struct profile_writer *w, const char *name, const char *sentence, uint64_t value)
{
	sqlite3_stmt *stmt = writer_begin(w, COUNTER);

	if (!stmt)
		return;
	writer_bind_name(w, stmt, 1, name);
	sqlite3_bind_int64(stmt, 2, value);
	writer_bind_text(w, stmt, 3, sentence);
	writer_run(w, stmt);
}

/* Write the log back if it is long and no reader uses it. Readers hold it only briefly, so a later commit succeeds. */
static void shorten_log(struct profile_writer *w)
{
	struct stat st;

	if (fstat(w->place.wal, &st) || st.st_size < WAL_BYTES || place_lock(&w->place, false))
		return;
	writer_fail_db(w, sqlite3_wal_checkpoint_v2(w->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
	place_unlock(&w->place);
}

static void count_cut(struct profile_writer *w)
{
	char sql[256];

	if (!w->nr_cut || !writer_begin(w, COUNTER))
		return;
	snprintf(sql, sizeof(sql), PROFILE_TEXTS_CUT, (unsigned long long)w->nr_cut);
	writer_fail_db(w, db_exec(w->db, sql));
	w->nr_cut = 0;
}

int profile_commit(struct profile_writer *w, struct dusk_error *err)
{
	count_cut(w);
	if (w->windows.length_ns && w->nodes_written < w->nodes.nr && writer_begin(w, COMMIT))
		writer_fail_db(w, writer_pack_nodes(w));
	if (!w->error && w->in_transaction) {
		writer_fail_db(w, db_run(w->stmt[COMMIT]));
		w->in_transaction = false;
		w->committed |= !w->error;
		if (!w->error)
			shorten_log(w);
	}
	return w->error ? error_set(err, w->error, "%s", w->why.text) : 0;
}

int profile_finish(struct profile_writer *w, struct dusk_error *err)
{
	writer_end_window(w);
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

	writer_end_window(w);
	if (finished)
		profile_set(w, "finished", "1");
	profile_commit(w, NULL);
	writer_pack(w);
	rc = w->error;
	finalize_all(w);
	if (!sqlite3_get_autocommit(w->db))
		db_exec(w->db, "rollback");
	if (!w->committed) {
		error_set(err, rc, "%s", w->why.text);
		profile_discard(w);
		return rc;
	}
	note_end(w);
	published = publish(w, &why);
	if (rc && !published)
		error_set(err, rc, "%s; what was recorded before is in it", w->why.text);
	else if (published && w->place.folder < 0)
		error_set(err, rc, "%s", rc ? w->why.text : why.text);
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
