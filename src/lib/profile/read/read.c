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
#include <string.h>

#include "base/cleanup.h"
#include "lib/profile/sums/packed.h"
#include "lib/profile/read/reader.h"
#include "lib/profile/file/schema.h"

struct strings *profile_strings(struct dusk_profile *p)
{
	if (!p->store)
		p->store = calloc(1, sizeof(struct strings));
	return p->store;
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
	bool optional;	    /* made when the first row is known */
	const char *column; /* one more column, which may be missing */
	size_t cursor;	    /* where in a struct profile_cursor its ids are, plus one; 0: it is read as a whole */
} tables[] = {
	{"setting", "key,value", -1, 0, false, reader_setting},
	{"module", "id,kind,pid,path,build_id,dev,ino,generation", 1, UINT32_MAX - 1, true, reader_module},
	{"image", "id,name", 1, UINT32_MAX - 1, true, reader_image},
	{"function", "id,name,symbol,image", 1, UINT32_MAX - 1, true, reader_function},
	{"frame", "id,module,offset,is_return,function,function_offset,address,method", 1, UINT32_MAX - 1, true,
	 reader_frame},
	{"node", "id,parent,frame", 1, UINT32_MAX - 1, true, reader_node},
	{"cgroup", "id,path,container,container_name,pod,namespace,unit,host", 1, UINT32_MAX - 1, true, reader_cgroup,
	 true},
	{"thread", "id,pid,tid,comm,cgroup", 0, UINT32_MAX - 1, true, reader_thread},
	{"title", "thread,text,service,version", 0, UINT32_MAX - 1, false, reader_title, true},
	{"outcome", "id,name,class,sentence", 0, UINT8_MAX, true, reader_outcome},
	{"source", "id,path", 1, UINT32_MAX - 1, true, reader_source, true},
	{"line", "id,frame,function,source,line", 1, UINT32_MAX - 1, true, reader_line, true},
	{"counter", "name,value,sentence", -1, 0, false, reader_counter},
	{"counted", "id,name", 1, UINT32_MAX - 1, true, reader_counted, true},
	{"window_count", "id,start,counted,value", 1, INT64_MAX - 1, false, reader_window_count, true,
	 .cursor = CURSOR(window_count)},
	{"sample", "id,time,thread,node,cpu,outcome", 1, INT64_MAX - 1, false, reader_sample, .column = "value",
	 .cursor = CURSOR(sample)},
	{"window", "id,start,length,rows", 1, INT64_MAX - 1, false, reader_window, true, .cursor = CURSOR(window)},
	{"offcpu", "id,time,thread,node,cpu,outcome,state,value,runnable,nr", 1, INT64_MAX - 1, false, reader_interval,
	 true, .cursor = CURSOR(offcpu)},
	{"waker", "offcpu,thread,node,outcome,kind", 1, INT64_MAX - 1, false, reader_waker, true},
	{"event", "id,name", 0, UINT32_MAX - 1, true, reader_event, true},
	{"occurrence", "id,time,thread,node,cpu,outcome,event,fields", 1, INT64_MAX - 1, false, reader_occurrence,
	 true},
	{"thread_times", "id,thread,start,end,on_cpu,runnable,blocked,intervals", 1, INT64_MAX - 1, false,
	 reader_thread_times, true},
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

static int read_rows(struct reader *r, const struct table *t)
{
	_cleanup_(db_finalizep) sqlite3_stmt *stmt = NULL;
	bool more = t->column && db_has_column(r->file.db, t->name, t->column);
	char sql[512], which[96] = "";
	int rc;

	if (t->cursor)
		snprintf(which, sizeof(which), " where rowid>%" PRId64 " and rowid<=%" PRId64, *id_in(&r->from, t),
			 *id_in(&r->to, t));
	snprintf(sql, sizeof(sql), "select %s%s%s from %s%s order by %s", t->columns, more ? "," : "",
		 more ? t->column : "", t->name, which, t->first < 0 ? "1" : "rowid");
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
	sqlite3_int64 nr;
	int rc = 0;

	if (t->optional) {
		rc = count_tables(r, t->name, &nr);
		if (rc || !nr)
			return rc;
	}
	r->table = t->name;
	r->id = t->first - 1;
	if (r->packed)
		rc = read_blocks(r, t);
	return rc ?: read_rows(r, t);
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
	if (version > PROFILE_VERSION)
		return error_set(r->file.err, -EPROTONOSUPPORT,
				 "%s was written by a newer dusk (format %lld, this one reads up to %d): update dusk",
				 r->file.path, (long long)version, PROFILE_VERSION);
	rc = count_tables(r, "packed", &nr);
	if (rc)
		return rc;
	r->packed = nr;
	whole = version == PROFILE_VERSION;
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

	profile_columns_move(p, r);
	p->period_ns = period_of(p);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].source == DUSK_CPU && !p->samples[i].value_ns)
			p->samples[i].value_ns = p->period_ns * p->samples[i].count;
	p->finished = dusk_profile_setting(p, "finished");
	p->live = r->file.live;
	p->bytes = profile_file_bytes(&r->file);
	p->symbolized = dusk_profile_setting(p, "symbolized"); /* some may have names all the same */
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
	profile_columns_done(r);
	vec_done(&r->titled);
	vec_done(&r->intervals);
	vec_done(&r->counted);
	map_done(&r->counter_numbers);
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
	rc = rc ?: reader_spread_titles(&r);
	rc = rc ?: reader_sort(&r);
	if (rc)
		return rc;
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
