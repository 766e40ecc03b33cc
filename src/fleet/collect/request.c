/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a request to an answer. See request.h. */
#include "fleet/collect/request.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memstream.h"
#include "base/secret.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/clickhouse/statement.h"
#include "lib/error.h"

#define LARGE_BYTES (256u << 10) /* of a post that is read by a thread of its own, so that small ones need not wait */
#define POSTS_MAX 4096		 /* in one transaction */
#define QUESTION_BYTES_MAX 4096
#define TRIES 3

void request_answer(struct request *r, unsigned int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->text, sizeof(r->text), format, args);
	va_end(args);
	r->status = status;
	r->kind = REQUEST_ANSWERED;
}

static void free_body(struct collector *c, struct request *r)
{
	peers_give_back(&c->peers, r->peer, r->body.nr);
	vec_done(&r->body);
	r->body.nr = 0;
}

void request_done(struct collector *c, struct request *r)
{
	free_body(c, r);
	free(steal(r->layout));
}

static void refuse(struct collector *c, struct request *r, enum refusal why, unsigned int status, const char *text)
{
	count(&c->counts.refused[why], 1);
	free_body(c, r);
	request_answer(r, status, "%s", text);
}

static void refuse_statement(struct collector *c, struct request *r)
{
	refuse(c, r, REFUSED_STATEMENT, 400,
	       "a collector takes what agents of its own version send to its database, and those of others that say "
	       "the "
	       "types of their columns, and no other statement: ask one of its shards");
}

void request_begin(struct collector *c, struct request *r, const struct request_head *head)
{
	const char *sql = head->sql ?: "", *password = head->password ?: "";
	struct row_layout layout;
	bool same;

	r->until_s = now_s() + REQUEST_S;
	if (*c->o->password && !secret_is(c->o->password, password, strlen(password))) {
		refuse(c, r, REFUSED_PASSWORD, 401, "the collector has another password");
		return;
	}
	r->post.table = table_of_insert(&layout, &same, sql, collector_database(c), head->types ?: "");
	if (r->post.table == NR_TABLES && !strncasecmp(sql, "INSERT", 6)) {
		refuse_statement(c, r);
		return;
	}
	if (r->post.table == NR_TABLES) {
		/* A statement may be in the address, or is posted. */
		r->kind = REQUEST_QUESTION;
		request_take(c, r, sql, strlen(sql));
		return;
	}
	r->kind = REQUEST_INSERT;
	if (!same && (r->layout = malloc(sizeof(layout))))
		*r->layout = layout;
	if (!same && !r->layout)
		refuse(c, r, REFUSED_MEMORY, 503, "memory is short: try again");
	else if (!head->encoding || strcasecmp(head->encoding, "gzip"))
		refuse(c, r, REFUSED_STATEMENT, 415, "a post to a collector is packed by gzip");
}

/* Add to the body what its peer may have. */
static bool add(struct collector *c, struct request *r, const void *data, size_t len)
{
	if (!peers_take(&c->peers, r->peer, len))
		return false;
	if (!vec_append(&r->body, (const uint8_t *)data, len))
		return true;
	peers_give_back(&c->peers, r->peer, len);
	return false;
}

bool request_take(struct collector *c, struct request *r, const void *data, size_t len)
{
	size_t most = r->kind == REQUEST_INSERT ? SPOOL_BYTES_MAX : QUESTION_BYTES_MAX;
	bool late = now_s() > r->until_s;

	if (r->kind == REQUEST_ANSWERED)
		return !late;
	if (late)
		refuse(c, r, REFUSED_LATE, 408, "the post came too slowly");
	else if (r->body.nr + len > most)
		refuse(c, r, REFUSED_SIZE, 413, STATEMENT_LARGE);
	else if (!add(c, r, data, len))
		refuse(c, r, REFUSED_MEMORY, 503, "too much comes at once: try again");
	return !late;
}

static void check_question(struct collector *c, struct request *r)
{
	const char *database = collector_database(c), *sql;

	request_take(c, r, "", 1);
	if (r->kind == REQUEST_ANSWERED)
		return;
	sql = (const char *)r->body.v;
	if (statement_is_arrived(sql, database, &r->day, &r->batch))
		r->kind = REQUEST_ARRIVED;
	else if (statement_is_end(sql, database, r->host, &r->day, &r->batch))
		r->kind = REQUEST_END;
	else if (schema_is_question(sql, database))
		r->kind = REQUEST_TABLES;
	else if (!strcmp(sql, CLIENT_BEGIN_SESSION) || !strcmp(sql, CLIENT_END_SESSION))
		request_answer(r, 404, "Code: 372: a collector has no sessions, and takes a batch once");
	else
		refuse_statement(c, r);
}

/* What was sent by a dusk of another version gets the columns of this one. */
static int convert(struct collector *c, struct request *r, const struct table *table)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int rc = out ? memstream_end(out, row_types_convert(out, r->layout, table->types, r->body.v, r->body.nr))
		     : -ENOMEM;

	rc = rc ?: len > SPOOL_BYTES_MAX ? -E2BIG : 0;
	if (!rc) {
		free_body(c, r);
		rc = add(c, r, text, len) ? 0 : -ENOMEM;
	}
	return rc;
}

static void check_rows(struct collector *c, struct request *r)
{
	const struct table *table = &tables[r->post.table];
	struct row_facts facts;
	int rc = r->layout ? convert(c, r, table) : 0;

	rc = rc ?: row_types_check(&facts, table->types, table->has_batch, r->body.v, r->body.nr, SPOOL_ROWS_MAX);

	if (rc == -EBADMSG)
		refuse(c, r, REFUSED_ROWS, 400, STATEMENT_BAD_ROWS);
	else if (rc == -E2BIG)
		refuse(c, r, REFUSED_SIZE, 413, STATEMENT_MANY_ROWS);
	else if (rc)
		refuse(c, r, REFUSED_MEMORY, 503, "memory is short: try again");
	else
		r->post = (struct spool_post){.table = r->post.table,
					      .shard = facts.host % c->o->nr_shards,
					      .day = facts.day,
					      .batch = facts.batch,
					      .nr_rows = facts.nr_rows,
					      .data = r->body.v,
					      .len = r->body.nr};
}

bool request_end(struct collector *c, struct request *r)
{
	if (r->kind == REQUEST_INSERT && r->body.nr <= LARGE_BYTES)
		check_rows(c, r);
	else if (r->kind == REQUEST_QUESTION)
		check_question(c, r);
	if (r->kind == REQUEST_ARRIVED && spool_has(c->spool, TABLE_SAMPLES, r->batch))
		request_answer(r, 200, "1\n");
	return r->kind == REQUEST_ANSWERED;
}

bool request_wait(struct collector *c, struct request *r)
{
	return worker_give(r->kind != REQUEST_INSERT ? c->asker : r->post.data ? c->committer : c->checker, &r->job);
}

/* ---- The checker ---- */

void request_check(void *collector, struct job *first)
{
	struct collector *c = collector;
	struct job *next;

	for (; first; first = next) {
		struct request *r = (struct request *)first;

		next = first->next;
		check_rows(c, r);
		if (r->kind != REQUEST_ANSWERED && !worker_give(c->committer, &r->job))
			request_answer(r, 503, "%s", REQUEST_ENDS);
		if (r->kind == REQUEST_ANSWERED)
			r->answered(r);
	}
}

/* ---- The committer ---- */

static void answer_post(struct collector *c, struct request *r)
{
	const struct spool_post *p = &r->post;

	if (!p->result) {
		count(&c->counts.posts[p->table], 1);
		count(&c->counts.rows[p->table], p->nr_rows);
		count(&c->counts.bytes, p->len);
	} else if (p->result == -EEXIST) {
		count(&c->counts.again, 1);
	}
	if (!p->result || p->result == -EEXIST) {
		free_body(c, r);
		request_answer(r, 200, "%s", "");
	} else if (p->result == -EDQUOT) {
		refuse(c, r, REFUSED_FULL, 503, "the collector's spool is full: try again later");
	} else {
		refuse(c, r, REFUSED_DISK, 503, "the collector cannot write its spool: try again later");
	}
	r->answered(r);
}

void request_commit(void *collector, struct job *first)
{
	static struct spool_post *posts[POSTS_MAX];
	struct collector *c = collector;

	while (first) {
		struct job *j = first, *next;
		size_t nr = 0;

		for (; j && nr < POSTS_MAX; j = j->next)
			posts[nr++] = &((struct request *)j)->post;
		spool_add(c->spool, posts, nr);
		count(&c->counts.commits, 1);
		for (; first != j; first = next) {
			next = first->next;
			answer_post(c, (struct request *)first);
		}
	}
}

/* ---- The asker ---- */

/* A shard that does not answer at once may do so in a moment. */
static int ask_shard(struct collector *c, uint32_t shard, const struct request *r, struct dusk_error *err)
{
	int rc = -EAGAIN;

	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = statement_ask_arrived(c->asking[shard], "samples", r->day, r->batch, err);
	return rc;
}

/* Others wait while a shard is asked, so one that takes long not to answer is not asked just now: -EAGAIN; otherwise 0. */
static int check_shard(struct collector *c, uint32_t shard, struct dusk_error *err)
{
	char why[sizeof(err->text)];

	return shard_is_stuck(c->shards[shard], why, sizeof(why)) ? error_set(err, -EAGAIN, "%s", why) : 0;
}

/* A batch that is not in the spool has arrived at one of the shards, or it never came. Returns 1, 0 or a negative errno. */
static int find_batch(struct collector *c, const struct request *r, struct dusk_error *err)
{
	int found = 0, failed = 0;

	for (uint32_t i = 0; !found && i < c->o->nr_shards; i++) {
		found = check_shard(c, i, err) ?: ask_shard(c, i, r, err);
		failed = found < 0 ? found : failed;
		found = found > 0;
	}
	return found ?: failed;
}

/* Where a batch ends, which is in its counts: these are read when a shard has them. Returns as find_batch(). */
static int find_end(struct collector *c, const struct request *r, struct profile_cursor *to, struct dusk_error *err)
{
	int found = 0, failed = 0;

	if (spool_has(c->spool, TABLE_COUNTS, r->batch))
		return error_set(err, -EAGAIN, "the batch is on its way to a shard: ask again");
	for (uint32_t i = 0; found <= 0 && i < c->o->nr_shards; i++) {
		found = check_shard(c, i, err)
				?: statement_ask_end(c->asking[i], "counts", r->host, r->day, r->batch, to, err);
		failed = found < 0 ? found : failed;
	}
	return found > 0 ? found : failed;
}

/* Do the shards have the tables? One that is not there may have them. Returns 1, 0 or a negative errno. */
static int find_tables(struct collector *c, struct dusk_error *err)
{
	int found = -EAGAIN;

	for (uint32_t i = 0; i < c->o->nr_shards; i++) {
		int rc = schema_check(c->asking[i], err);

		if (rc == -ENOENT)
			return 0;
		found = rc ? found : 1;
	}
	return found;
}

static void ask(struct collector *c, struct request *r)
{
	struct dusk_error err = {""};
	struct profile_cursor end = {0};
	char text[128];
	bool of_tables = r->kind == REQUEST_TABLES;
	int found = of_tables		     ? find_tables(c, &err)
		    : r->kind == REQUEST_END ? find_end(c, r, &end, &err)
					     : find_batch(c, r, &err);

	statement_write_end(text, sizeof(text), &end);
	if (found < 0)
		refuse(c, r, REFUSED_UNKNOWN, 503, err.text);
	else if (of_tables) /* those of a server alone: it is not read here */
		request_answer(r, 200, "%d\t0\n", found ? NR_TABLES : 0);
	else if (r->kind == REQUEST_END)
		request_answer(r, 200, "%s", text);
	else
		request_answer(r, 200, "%d\n", found);
	r->answered(r);
}

void request_ask(void *collector, struct job *first)
{
	struct job *next;

	for (; first; first = next) {
		next = first->next;
		ask(collector, (struct request *)first);
	}
}
