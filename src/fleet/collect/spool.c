/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has been posted. See spool.h. */
#include "fleet/collect/spool.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "fleet/collect/table.h"
#include "lib/profile/file/db.h"

#define PAGE_BYTES 4096
#define RESERVE_BYTES (1ULL << 20) /* for what has to be written to make room */
#define CHUNK_MAX (1U << 30)
#define ROW_BYTES 128 /* of a post beside its data */
#define REMEMBER_MS (900 * 1000)
#define SETTLE_MS 1000 /* rows that are enough for an INSERT wait as long, as there may be more at once */

/*
 * shard	where posts go, so that numbers mean the same in the next run
 * post		in the order in which they came; batch is 0 where rows collapse. Those for all shards share a body
 * sent		what a shard is being sent: its posts of that table and day, up to the one with the id last
 * arrived	batches that have left the spool
 */
static const char schema[] =
	"CREATE TABLE IF NOT EXISTS shard(id INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE);"
	"CREATE TABLE IF NOT EXISTS post(id INTEGER PRIMARY KEY, shard INTEGER NOT NULL, kind INTEGER NOT NULL, "
	"day INTEGER NOT NULL, batch INTEGER NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL, "
	"since_ms INTEGER NOT NULL, body INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS body(id INTEGER PRIMARY KEY, data BLOB NOT NULL);"
	"CREATE INDEX IF NOT EXISTS post_due ON post(shard, kind, day, id, rows, bytes, since_ms);"
	"CREATE INDEX IF NOT EXISTS post_body ON post(body, shard);"
	"CREATE UNIQUE INDEX IF NOT EXISTS post_batch ON post(batch, kind) WHERE batch <> 0;"
	"CREATE TABLE IF NOT EXISTS sent(shard INTEGER PRIMARY KEY, id INTEGER NOT NULL, kind INTEGER NOT NULL, "
	"day INTEGER NOT NULL, last INTEGER NOT NULL);"
	"CREATE TABLE IF NOT EXISTS arrived(id INTEGER PRIMARY KEY, batch INTEGER NOT NULL);";

#define OF_SENT                                                                                    \
	"FROM sent JOIN post ON post.shard = sent.shard AND post.kind = sent.kind AND post.day = " \
	"sent.day AND post.id <= sent.last WHERE sent.shard = ?1"

/* Counts have the same batches as the samples that go with them, and collapse. */
#define SAMPLES_OF_SENT OF_SENT " AND sent.kind = ?2"

enum {
	BEGIN,
	COMMIT,
	ROLLBACK,
	BODY,
	ADD,
	HAS,
	DUE,
	POSTS,
	NOTE,
	AGAIN,
	SENT,
	DATA,
	BATCHES,
	REMEMBER,
	REMOVE_BODIES,
	REMOVE,
	FORGET,
	NR_STATEMENTS
};

static const char *const statements[NR_STATEMENTS] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[BODY] = "INSERT INTO body(data) VALUES(?1)",
	[ADD] = "INSERT INTO post(shard, kind, day, batch, rows, bytes, since_ms, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6, "
		"?7, ?8)",
	[HAS] = "SELECT 1 FROM post WHERE batch = ?1 AND kind = ?2 AND batch <> 0",
	[DUE] = "SELECT kind, day, min(since_ms) AS since_ms, sum(rows) AS rows, sum(bytes) AS bytes FROM post WHERE "
		"shard = ?1 "
		"GROUP BY kind, day ORDER BY since_ms",
	[POSTS] = "SELECT id, rows, bytes FROM post WHERE shard = ?1 AND kind = ?2 AND day = ?3 ORDER BY id",
	[NOTE] = "INSERT INTO sent(shard, id, kind, day, last) VALUES(?1, ?2, ?3, ?4, ?5)",
	[AGAIN] = "UPDATE sent SET id = ?2 WHERE shard = ?1",
	[SENT] = "SELECT sent.id, sent.kind, sent.day, min(post.batch), count(*), sum(rows), sum(bytes) " OF_SENT,
	[DATA] = "SELECT (SELECT data FROM body WHERE body.id = post.body) " OF_SENT " ORDER BY post.id",
	[BATCHES] = "SELECT batch " SAMPLES_OF_SENT,
	[REMEMBER] = "INSERT INTO arrived(batch) SELECT batch " SAMPLES_OF_SENT,
	[REMOVE_BODIES] =
		"DELETE FROM body WHERE id IN (SELECT body " OF_SENT ") AND NOT EXISTS (SELECT 1 FROM post WHERE "
		"post.body = body.id AND post.shard <> ?1)",
	[REMOVE] = "DELETE FROM post WHERE id IN (SELECT post.id " OF_SENT ")",
	[FORGET] = "DELETE FROM sent WHERE shard = ?1",
};

struct spool {
	pthread_mutex_t lock;
	sqlite3 *db;
	sqlite3_stmt *run[NR_STATEMENTS];
	uint32_t *shards, nr_shards; /* their ids */
	uint64_t max_bytes, wait_ms, used_bytes;
	struct map arrived[2];	 /* those of late, and those before them */
	uint64_t turned_ms;	 /* when the first of them began, by CLOCK_MONOTONIC */
	sqlite3_int64 turned_id; /* the last one before, in the table */
};

static uint64_t now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

/* ---- Statements ---- */

/* @values are of the parameters ?1, ?2, ... */
static sqlite3_stmt *bound(struct spool *s, size_t which, const uint64_t *values, int nr)
{
	for (int i = 0; i < nr; i++)
		sqlite3_bind_int64(s->run[which], i + 1, values[i]);
	return s->run[which];
}

#define BOUND(s, which, ...) \
	bound(s, which, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t column(sqlite3_stmt *row, int i)
{
	return sqlite3_column_int64(row, i);
}

static int begin(struct spool *s)
{
	int rc = db_run(s->run[BEGIN]);

	return rc ? db_errno(s->db, rc) : 0;
}

/* End what begin() has begun: with all of it if @rc, an SQLite code, is 0. Returns 0 or a negative errno. */
static int end(struct spool *s, int rc)
{
	int err;

	rc = rc ?: db_run(s->run[COMMIT]);
	err = rc ? db_errno(s->db, rc) : 0;
	if (rc && !sqlite3_get_autocommit(s->db))
		db_run(s->run[ROLLBACK]);
	return err;
}

/* ---- Space ---- */

/* What is used on disk of the file, which does not become smaller. */
static void measure(struct spool *s)
{
	sqlite3_int64 pages = 0, free_pages = 0;

	db_integer(s->db, "PRAGMA page_count", &pages);
	db_integer(s->db, "PRAGMA freelist_count", &free_pages);
	s->used_bytes = (pages - free_pages) * PAGE_BYTES;
}

/* Data that does not fit on a page with others has pages of its own. */
static uint64_t bytes_on_disk(const struct spool_post *p)
{
	return (p->len + ROW_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* ---- What has arrived ---- */

/* Forget what was remembered for long. */
static void turn(struct spool *s)
{
	uint64_t now = now_ms(CLOCK_MONOTONIC);
	struct map old = s->arrived[1];
	char sql[64];

	if (now - s->turned_ms < REMEMBER_MS)
		return;
	s->arrived[1] = s->arrived[0];
	s->arrived[0] = old;
	map_clear(&s->arrived[0]);
	snprintf(sql, sizeof(sql), "DELETE FROM arrived WHERE id <= %lld", (long long)s->turned_id);
	db_exec(s->db, sql);
	db_integer(s->db, "SELECT coalesce(max(id), 0) FROM arrived", &s->turned_id);
	s->turned_ms = now;
}

/* If memory is short it is not remembered, which only a post that comes late will notice. */
static void remember(struct spool *s, uint64_t batch)
{
	bool fresh;

	map_at(&s->arrived[0], batch, &fresh);
}

static bool has(struct spool *s, size_t table, uint64_t batch)
{
	sqlite3_stmt *row = BOUND(s, HAS, batch, table);
	bool found = sqlite3_step(row) == SQLITE_ROW;

	sqlite3_reset(row);
	return found ||
	       (table == TABLE_SAMPLES && (map_find(&s->arrived[0], batch) || map_find(&s->arrived[1], batch)));
}

bool spool_has(struct spool *s, size_t table, uint64_t batch)
{
	bool found;

	pthread_mutex_lock(&s->lock);
	found = has(s, table, batch);
	pthread_mutex_unlock(&s->lock);
	return found;
}

/* ---- Posts come in ---- */

/* Returns an SQLite code; what is refused has its result already. */
static int add(struct spool *s, struct spool_post *p, uint64_t now)
{
	bool all = !tables[p->table].has_batch;
	uint64_t bytes = bytes_on_disk(p), body;
	int rc;

	p->result = 0;
	if (p->batch && has(s, p->table, p->batch)) {
		p->result = -EEXIST;
		return SQLITE_OK;
	}
	if (s->used_bytes + bytes > s->max_bytes) {
		p->result = -EDQUOT;
		return SQLITE_OK;
	}
	s->used_bytes += bytes;
	sqlite3_bind_blob64(s->run[BODY], 1, p->data, p->len, SQLITE_STATIC);
	rc = db_run(s->run[BODY]);
	sqlite3_clear_bindings(s->run[BODY]);
	body = sqlite3_last_insert_rowid(s->db);
	for (uint32_t i = 0; !rc && i < s->nr_shards; i++)
		if (all || i == p->shard)
			rc = db_run(
				BOUND(s, ADD, s->shards[i], p->table, p->day, p->batch, p->nr_rows, p->len, now, body));
	return rc;
}

void spool_add(struct spool *s, struct spool_post *const *posts, size_t nr)
{
	uint64_t now = now_ms(CLOCK_REALTIME);
	int rc = SQLITE_OK, err;

	pthread_mutex_lock(&s->lock);
	turn(s);
	err = begin(s);
	for (size_t i = 0; !err && !rc && i < nr; i++)
		rc = add(s, posts[i], now);
	err = err ?: end(s, rc);
	measure(s);
	/* What was there before stays so; what is new is not there. */
	for (size_t i = 0; err && i < nr; i++)
		posts[i]->result = err;
	pthread_mutex_unlock(&s->lock);
}

/* ---- Posts go out ---- */

static int fresh_id(uint64_t *ret)
{
	/* SQLite's numbers are signed. */
	if (getrandom(ret, sizeof(*ret), 0) != sizeof(*ret))
		return -EIO;
	*ret >>= 1;
	return 0;
}

/* Is a group, a row of DUE, to be sent now? A clock that was set back makes nothing wait. */
static bool is_due(const struct spool *s, sqlite3_stmt *group, uint64_t now)
{
	uint64_t since = column(group, 2), waited = now - since;
	bool enough = column(group, 3) >= SPOOL_ROWS_ENOUGH || column(group, 4) >= SPOOL_BYTES_ENOUGH;

	return since > now || waited >= s->wait_ms || (enough && waited >= SETTLE_MS);
}

/* The last post of an INSERT of the shard @shard, of the group with @kind and @day; 0: they cannot be read. */
static uint64_t find_last(struct spool *s, uint32_t shard, uint64_t kind, uint64_t day)
{
	sqlite3_stmt *post = BOUND(s, POSTS, s->shards[shard], kind, day);
	uint64_t last = 0, rows = 0, bytes = 0;

	while (sqlite3_step(post) == SQLITE_ROW) {
		rows += column(post, 1);
		bytes += column(post, 2);
		if (last && (rows > SPOOL_ROWS_MAX || bytes > SPOOL_BYTES_MAX))
			break;
		last = column(post, 0);
	}
	sqlite3_reset(post);
	return last;
}

/* Note which posts are sent next. Returns 0, -EAGAIN: none; or another negative errno. */
static int note(struct spool *s, uint32_t shard)
{
	sqlite3_stmt *group = BOUND(s, DUE, s->shards[shard]);
	uint64_t now = now_ms(CLOCK_REALTIME), id, kind = 0, day = 0, last;
	bool found = false;
	int err;

	while (!found && sqlite3_step(group) == SQLITE_ROW) {
		found = is_due(s, group, now);
		kind = column(group, 0);
		day = column(group, 1);
	}
	sqlite3_reset(group);
	if (!found)
		return -EAGAIN;
	last = find_last(s, shard, kind, day);
	if (!last)
		return -EIO;
	err = fresh_id(&id) ?: begin(s);
	return err ?: end(s, db_run(BOUND(s, NOTE, s->shards[shard], id, kind, day, last)));
}

/* What was noted. Returns 0; -ENOENT: nothing; or another negative errno. */
static int read_noted(struct spool *s, uint32_t shard, struct spool_insert *ret)
{
	sqlite3_stmt *row = BOUND(s, SENT, s->shards[shard]);
	struct spool_insert i = {0};
	int err = -ENOENT;

	if (sqlite3_step(row) == SQLITE_ROW && column(row, 4)) {
		i = (struct spool_insert){.id = column(row, 0),
					  .table = column(row, 1),
					  .day = column(row, 2),
					  .batch = column(row, 3),
					  .nr_posts = column(row, 4),
					  .nr_rows = column(row, 5)};
		i.data = malloc(column(row, 6) + 1);
		err = i.data ? 0 : -ENOMEM;
	}
	sqlite3_reset(row);
	row = BOUND(s, DATA, s->shards[shard]);
	while (!err && sqlite3_step(row) == SQLITE_ROW) {
		const void *data = sqlite3_column_blob(row, 0);

		if (data)
			memcpy(i.data + i.len, data, sqlite3_column_bytes(row, 0));
		i.len += sqlite3_column_bytes(row, 0);
		err = data ? 0 : -EIO;
	}
	if (sqlite3_reset(row) && !err)
		err = -EIO;
	if (err)
		spool_insert_done(&i);
	else
		*ret = i;
	return err;
}

int spool_next(struct spool *s, uint32_t shard, struct spool_insert *ret)
{
	bool maybe = true;
	int err;

	pthread_mutex_lock(&s->lock);
	err = read_noted(s, shard, ret);
	if (err == -ENOENT) {
		maybe = false;
		err = note(s, shard) ?: read_noted(s, shard, ret);
	}
	if (!err)
		ret->maybe = maybe;
	pthread_mutex_unlock(&s->lock);
	return err;
}

int spool_again(struct spool *s, uint32_t shard, struct spool_insert *i)
{
	uint64_t id;
	int err = fresh_id(&id);

	pthread_mutex_lock(&s->lock);
	err = err ?: begin(s);
	err = err ?: end(s, db_run(BOUND(s, AGAIN, s->shards[shard], id)));
	pthread_mutex_unlock(&s->lock);
	if (!err)
		i->id = id;
	return err;
}

void spool_insert_done(struct spool_insert *i)
{
	free(steal(i->data));
}

int spool_batches(struct spool *s, uint32_t shard, uint64_t **ret, size_t *ret_nr)
{
	struct vec(uint64_t) batches = {0};
	sqlite3_stmt *row;
	int err = 0;

	pthread_mutex_lock(&s->lock);
	row = BOUND(s, BATCHES, s->shards[shard], TABLE_SAMPLES);
	while (!err && sqlite3_step(row) == SQLITE_ROW)
		err = vec_push(&batches, column(row, 0));
	if (sqlite3_reset(row) && !err)
		err = -EIO;
	pthread_mutex_unlock(&s->lock);
	if (err) {
		vec_done(&batches);
		return err;
	}
	*ret_nr = batches.nr;
	*ret = vec_steal(&batches);
	return 0;
}

int spool_arrived(struct spool *s, uint32_t shard)
{
	uint64_t id = s->shards[shard];
	sqlite3_stmt *row;
	int err;

	pthread_mutex_lock(&s->lock);
	row = BOUND(s, BATCHES, id, TABLE_SAMPLES);
	while (sqlite3_step(row) == SQLITE_ROW)
		remember(s, column(row, 0));
	sqlite3_reset(row);
	err = begin(s);
	if (!err)
		err = end(s, db_run(BOUND(s, REMEMBER, id, TABLE_SAMPLES)) ?: db_run(BOUND(s, REMOVE_BODIES, id)) ?:
			     db_run(BOUND(s, REMOVE, id)) ?: db_run(BOUND(s, FORGET, id)));
	measure(s);
	pthread_mutex_unlock(&s->lock);
	return err;
}

void spool_look(struct spool *s, struct spool_state *ret)
{
	sqlite3_int64 posts = 0, rows = 0, since = 0;
	uint64_t now = now_ms(CLOCK_REALTIME);

	pthread_mutex_lock(&s->lock);
	db_integer(s->db, "SELECT count(*) FROM post", &posts);
	db_integer(s->db, "SELECT coalesce(sum(rows), 0) FROM post", &rows);
	db_integer(s->db, "SELECT coalesce(min(since_ms), 0) FROM post", &since);
	*ret = (struct spool_state){.max_bytes = s->max_bytes,
				    .used_bytes = s->used_bytes,
				    .nr_posts = posts,
				    .nr_rows = rows,
				    .oldest_s = posts && now > (uint64_t)since ? (now - since) / 1000.0 : 0};
	pthread_mutex_unlock(&s->lock);
}

/* ---- Begin and end ---- */

static int find_shard(struct spool *s, const char *place, uint32_t *ret)
{
	_cleanup_(db_finalizep) sqlite3_stmt *add = NULL, *find = NULL;
	int rc = db_prepare(&add, s->db, "INSERT OR IGNORE INTO shard(place) VALUES(?1)")
			 ?: db_prepare(&find, s->db, "SELECT id FROM shard WHERE place = ?1");

	if (rc)
		return rc;
	sqlite3_bind_text(add, 1, place, -1, SQLITE_STATIC);
	sqlite3_bind_text(find, 1, place, -1, SQLITE_STATIC);
	rc = db_run(add);
	if (!rc && sqlite3_step(find) == SQLITE_ROW)
		*ret = column(find, 0);
	return rc;
}

/* Posts of a shard that is not there any more must not be forgotten, and may not go elsewhere: they may have arrived there. */
static int check_others(struct spool *s, const char *folder, struct dusk_error *err)
{
	_cleanup_(db_finalizep) sqlite3_stmt *row = NULL;
	int rc = db_prepare(
		&row, s->db,
		"SELECT shard.id, place, count(*) FROM post JOIN shard ON shard.id = post.shard GROUP BY shard.id");

	while (!rc && sqlite3_step(row) == SQLITE_ROW) {
		bool known = false;

		for (uint32_t i = 0; i < s->nr_shards; i++)
			known |= s->shards[i] == column(row, 0);
		if (!known)
			return error_set(
				err, -EEXIST,
				"the spool %s has %lld posts for the shard %s, which is not among those given: start "
				"with it until they are there",
				folder, (long long)column(row, 2), (const char *)sqlite3_column_text(row, 1));
	}
	return 0;
}

static int find_shards(struct spool *s, const char *const *places, uint32_t nr)
{
	int rc = SQLITE_OK;

	s->shards = calloc(nr, sizeof(*s->shards));
	if (!s->shards)
		return SQLITE_NOMEM;
	s->nr_shards = nr;
	for (uint32_t i = 0; !rc && i < nr; i++)
		rc = find_shard(s, places[i], &s->shards[i]);
	return rc;
}

static int recall(struct spool *s)
{
	_cleanup_(db_finalizep) sqlite3_stmt *row = NULL;
	int rc = db_prepare(&row, s->db, "SELECT batch FROM arrived");

	while (!rc && sqlite3_step(row) == SQLITE_ROW)
		remember(s, column(row, 0));
	s->turned_ms = now_ms(CLOCK_MONOTONIC);
	return rc ?: db_integer(s->db, "SELECT coalesce(max(id), 0) FROM arrived", &s->turned_id);
}

/*
 * The file has its space before anything is in it, so that a disk that others fill does not stop what is there from leaving it.
 * The journal is kept, and each of its ends is written to the disk.
 */
static int set_up(struct spool *s)
{
	int chunk = s->max_bytes + RESERVE_BYTES < CHUNK_MAX ? s->max_bytes + RESERVE_BYTES : CHUNK_MAX;
	sqlite3_int64 pages;
	int rc = db_exec(s->db,
			 "PRAGMA page_size = 4096; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = PERSIST; "
			 "PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; PRAGMA cache_size = -4096");

	sqlite3_file_control(s->db, NULL, SQLITE_FCNTL_CHUNK_SIZE, &chunk);
	rc = rc ?: db_exec(s->db, "BEGIN EXCLUSIVE") ?: db_exec(s->db, schema) ?: db_exec(s->db, "COMMIT");
	for (size_t i = 0; !rc && i < NR_STATEMENTS; i++)
		rc = db_prepare(&s->run[i], s->db, statements[i]);
	return rc ?: db_integer(s->db, "PRAGMA page_count", &pages);
}

int spool_open(struct spool **ret, const char *folder, const char *const *places, uint32_t nr_places,
	       uint64_t max_bytes, uint64_t wait_ms, struct dusk_error *err)
{
	struct spool *s = calloc(1, sizeof(*s));
	_cleanup_(freep) char *path = NULL;
	int rc;

	if (!s || asprintf(&path, "%s/spool.db", folder) < 0) {
		free(s);
		return error_complete(err, -ENOMEM, "cannot open the spool");
	}
	pthread_mutex_init(&s->lock, NULL);
	s->max_bytes = max_bytes;
	s->wait_ms = wait_ms;
	mkdir(folder, 0700);
	umask(077);
	rc = sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	rc = rc ?: set_up(s) ?: find_shards(s, places, nr_places) ?: recall(s);
	if (rc == SQLITE_BUSY)
		rc = error_set(err, -EBUSY, "another collector has the spool %s", folder);
	else if (rc)
		rc = db_error(s->db, rc, err, "cannot open the spool", path);
	else
		rc = check_others(s, folder, err);
	measure(s);
	if (rc)
		spool_free(s);
	else
		*ret = s;
	return rc;
}

void spool_free(struct spool *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < NR_STATEMENTS; i++)
		sqlite3_finalize(s->run[i]);
	sqlite3_close(s->db);
	map_done(&s->arrived[0]);
	map_done(&s->arrived[1]);
	free(s->shards);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
