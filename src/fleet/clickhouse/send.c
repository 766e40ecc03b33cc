/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Batches of a store to a server. See send.h. */
#include "fleet/clickhouse/send.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/store_name.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/clickhouse/statement.h"
#include "fleet/clickhouse/sums.h"
#include "lib/error.h"

#define WINDOWS_A_BATCH \
	64 /* rows of tables of a profile that a batch has at most. One of windows is up to 65,536 sums */
#define ROWS_A_BATCH 100000
#define TRIES 3		     /* what is refused so often in a row is */
#define BLOCK_ROWS (1 << 18) /* a quarter of a server's block, so that a collector may join batches */

static struct clickhouse_target *of(struct target *t)
{
	return (struct clickhouse_target *)t; /* its first member */
}

/* Columns of rows.h, and their types. */
#define OF(table) ROWS_##table, ROWS_##table##_TYPES

static int insert(struct clickhouse_target *t, const char *columns, const char *types, struct buffer *b, const char *id,
		  struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL;
	int rc = 0;

	b->types = types;
	if (b->failed)
		rc = error_set(err, -ENOMEM, "cannot send: out of memory");
	else if (b->nr_rows && !(sql = statement_insert(client_database(t->client), columns)))
		rc = -ENOMEM;
	else if (b->nr_rows)
		rc = -EBADMSG;
	for (int i = 0; rc == -EBADMSG && i < TRIES; i++)
		rc = client_run(t->client, sql, id, b, NULL, NULL, err);
	b->bytes.nr = b->nr_rows = 0;
	return rc;
}

/*
 * The same, but rows that are refused for what is in them do not keep those behind them from being sent: they stay in the store
 * only, which is said and counted. Returns 1 if so.
 */
static int insert_or_leave(struct clickhouse_target *t, const char *columns, const char *types, struct buffer *b,
			   const char *id, struct sent *sent, struct dusk_error *err)
{
	uint64_t nr = b->nr_rows;
	int rc = insert(t, columns, types, b, id, err);

	if (rc != -EBADMSG)
		return rc;
	fprintf(stderr, "dusk: %" PRIu64 " rows of %.*s stay in the store only: %s\n", nr, (int)strcspn(columns, "("),
		columns, err->text);
	*err->text = 0;
	sent->refused += nr;
	return 1;
}

/* Has the batch arrived? It may have gone to another shard. Returns 1, 0, or as client_run(). */
static int has_arrived(struct clickhouse_target *t, uint32_t day, uint64_t batch, struct dusk_error *err)
{
	char table[32];
	const char *suffix;
	int rc = schema_reads(t->client, &suffix, err);

	if (rc)
		return rc;
	snprintf(table, sizeof(table), "samples%s", suffix);
	rc = statement_ask_arrived(t->client, table, day, batch, err);
	return rc > 0 ? sums_mend(t->client, day, &batch, 1, err) ?: rc : rc;
}

/* What rows refer to goes first. Counts of a batch that comes twice are the same rows. */
static int send_day(struct clickhouse_target *t, const struct rows *r, uint32_t day, uint64_t batch,
		    const struct batch *all, struct sent *sent, struct dusk_error *err)
{
	struct buffer b = {.failed = false};
	char id[40];
	uint64_t nr;
	int rc;

	rows_counts(&b, r, day, batch);
	rows_batch(&b, r, day, batch, &all->to);
	rc = insert_or_leave(t, OF(COUNTS), &b, NULL, sent, err);
	rc = rc < 0 ? rc : all->maybe ? has_arrived(t, day, batch, err) : 0;
	if (!rc) {
		snprintf(id, sizeof(id), "dusk-%016" PRIx64, batch);
		rows_samples(&b, r, day, batch);
		nr = b.nr_rows;
		rc = insert_or_leave(t, OF(SAMPLES), &b, id, sent, err);
		sent->nr += rc ? 0 : nr;
		if (rc > 0) {
			rows_refused(&b, r, day, hash64(batch));
			rc = insert_or_leave(t, OF(COUNTS), &b, NULL, sent, err);
		}
	}
	buffer_done(&b);
	return rc < 0 ? rc : 0;
}

/* Of an insert that fails it is not known what has arrived: then all is sent again. */
static int send_names(struct clickhouse_target *t, const struct rows *r, bool stacks, struct sent *sent,
		      struct dusk_error *err)
{
	struct buffer b = {.failed = false};
	int rc;

	rows_frames(&b, r, &t->frames);
	rc = insert_or_leave(t, OF(FRAMES), &b, NULL, sent, err);
	if (rc >= 0 && stacks) {
		rows_stacks(&b, r, &t->stacks);
		rc = insert_or_leave(t, OF(STACKS), &b, NULL, sent, err);
	}
	if (rc >= 0 && stacks) {
		rows_host(&b, r);
		rc = insert_or_leave(t, OF(HOSTS), &b, NULL, sent, err);
	}
	if (rc < 0) {
		map_clear(&t->frames);
		map_clear(&t->stacks);
	}
	buffer_done(&b);
	return rc < 0 ? rc : 0;
}

static int send(struct target *target, const struct batch *b, struct sent *sent, struct dusk_error *err)
{
	struct clickhouse_target *t = of(target);
	_cleanup_(rows_done) struct rows r;
	uint32_t first, last;
	int rc = rows_init(&r, b->p);

	rc = rc ?: send_names(t, &r, true, sent, err);
	if (!rc && rows_days(&r, &first, &last))
		for (uint32_t day = first; !rc && day <= last; day++)
			rc = send_day(t, &r, day, rows_batch_id(rows_profile_id(&r), &b->from, day), b, sent, err);
	return rc;
}

/* Where the batch of that number ends, of any shard. Returns as statement_ask_end(). */
static int find_end(struct clickhouse_target *t, const char *host, uint32_t day, uint64_t batch,
		    struct profile_cursor *to, struct dusk_error *err)
{
	char table[32];
	int rc = t->suffix ? 0 : schema_reads(t->client, &t->suffix, err);

	if (rc)
		return rc;
	snprintf(table, sizeof(table), "counts%s", t->suffix);
	return statement_ask_end(t->client, table, host, day, batch, to, err);
}

/*
 * The number of a batch is known by where it begins. A profile is merged of others when all of them were sent: if the last one
 * began to arrive, so did all.
 */
static int recall(struct target *target, const struct batch *b, struct profile_cursor *to, struct dusk_error *err)
{
	static const struct profile_cursor begin = {0};
	struct clickhouse_target *t = of(target);
	_cleanup_(rows_done) struct rows r;
	struct profile_cursor unused;
	uint32_t first = 0, last;
	int rc = rows_init(&r, b->p);
	uint64_t part = rc ? 0 : rows_last_part_id(&r, &first);

	if (part && !memcmp(&b->from, &begin, sizeof(begin))) {
		rc = find_end(t, r.host, first, rows_batch_id(part, &begin, first), &unused, err);
		if (rc)
			return rc < 0 ? rc : ALL_ARRIVED;
	}
	if (!rc && rows_days(&r, &first, &last))
		for (uint32_t day = first; !rc && day <= last; day++)
			rc = find_end(t, r.host, day, rows_batch_id(rows_profile_id(&r), &b->from, day), to, err);
	return rc;
}

/* The names of functions come when a recording has ended. */
static int end(struct target *target, const struct dusk_profile *p, struct dusk_error *err)
{
	_cleanup_(rows_done) struct rows r;
	struct sent unused = {.nr = 0};
	int rc = rows_init(&r, p);

	return rc ?: send_names(of(target), &r, false, &unused, err);
}

/*
 * The server counts that: when the profile began, so that it is the same row if we are killed before we know that it has arrived,
 * and count it again.
 */
static int lose(struct target *target, const char *host, const char *name, struct dusk_error *err)
{
	struct buffer b = {.nr_rows = 1};
	char here[HOST_NAME_MAX + 1] = "";
	time_t start_s = 0;
	unsigned long nr;
	uint64_t batch = 0;
	int rc;

	gethostname(here, sizeof(here) - 1);
	host = host ?: here;
	for (const char *c = host; *c; c++)
		batch = hash64(batch ^ (uint8_t)*c);
	for (const char *c = name; *c; c++)
		batch = hash64(batch ^ (uint8_t)*c);
	store_name_parse(name, &start_s, &nr);
	buffer_number(&b, uint32_t, start_s);
	buffer_text(&b, host);
	buffer_text(&b, "lost-profiles");
	buffer_number(&b, uint64_t, 1);
	buffer_number(&b, uint64_t, batch);
	rc = insert(of(target), OF(COUNTS), &b, NULL, err);
	buffer_done(&b);
	return rc;
}

static int new_session(struct clickhouse_target *t, struct dusk_error *err)
{
	uint64_t *number = &t->target.session;

	if (getrandom(number, sizeof(*number), 0) != sizeof(*number))
		return error_set(err, -EIO, "cannot send: there are no random numbers");
	client_set_session(t->client, *number);
	return 0;
}

static int end_session(struct target *target, uint64_t session, struct dusk_error *err)
{
	return client_end_session(of(target)->client, session, err) ?: new_session(of(target), err);
}

static void set_stop(struct target *target, const volatile sig_atomic_t *stop)
{
	client_set_stop(of(target)->client, stop);
}

static int check(struct target *target, struct dusk_error *err)
{
	return schema_reads(of(target)->client, &of(target)->suffix, err);
}

int clickhouse_target_init(struct clickhouse_target *ret, struct client *c, struct dusk_error *err)
{
	*ret = (struct clickhouse_target){
		.target = {.place = client_place(c),
			   .unit = "rows",
			   .most = {ROWS_A_BATCH, WINDOWS_A_BATCH, ROWS_A_BATCH, ROWS_A_BATCH},
			   .most_samples = BLOCK_ROWS,
			   .check = check,
			   .set_stop = set_stop,
			   .recall = recall,
			   .end_session = end_session,
			   .send = send,
			   .end = end,
			   .lose = lose},
		.client = c,
	};
	return new_session(ret, err);
}

void clickhouse_target_done(struct clickhouse_target *t)
{
	map_done(&t->stacks);
	map_done(&t->frames);
}
