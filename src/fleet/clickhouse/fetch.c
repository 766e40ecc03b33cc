/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ask a server for what a profile needs. See fetch.h. */
#include "fleet/clickhouse/fetch.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "fleet/clickhouse/query.h"
#include "fleet/clickhouse/rebuild.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/clickhouse/sums.h"
#include "lib/error.h"
#include "lib/profile/write/write.h"

#define NS_A_S 1000000000ULL
#define PARTS 100     /* of the time: samples are summed up over each */
#define MAX_IDS 32768 /* in one statement: with texts as long as they may be the answer is not too large */
#define MAX_SAID 10   /* hosts whose rows were left out */

/* What a server has said. */
struct said {
	char *text;
	size_t len;
	enum query_kind kind;
	bool stacks;
};

struct request {
	struct client *client;
	struct query query;
	char host[HOST_NAME_MAX + 1]; /* one of them */
	uint64_t nr_hosts;
	struct said said[2]; /* samples of all kinds, or of each */
	size_t nr_said;
	struct dusk_error *err;
};

static void request_done(struct request *r)
{
	query_done(&r->query);
	for (size_t i = 0; i < r->nr_said; i++)
		free(r->said[i].text);
}

/* Run the statement @sql, which this frees. */
static int ask(struct request *r, char *sql, char **answer, size_t *len)
{
	int rc = sql ? client_run(r->client, sql, NULL, NULL, answer, len, r->err) : -ENOMEM;

	free(sql);
	return rc;
}

/* Give each row of @text to @take. */
static int each_row(struct request *r, struct rebuild *b, const char *text, size_t len,
		    int (*take)(struct rebuild *, struct answer_reader *), uint64_t *nr)
{
	struct answer_reader rows = {
		.at = (const uint8_t *)text, .end = (const uint8_t *)text + len, .texts = b->texts};
	int rc = 0;

	for (; !rc && answer_has_more(&rows); *nr += !rc)
		rc = take(b, &rows);
	if (rc == -EBADMSG)
		return error_set(r->err, rc,
				 "the answer of the server at %s makes no sense: is the store of another dusk?",
				 client_place(r->client));
	return rc;
}

static int ask_rows(struct request *r, struct rebuild *b, char *sql,
		    int (*take)(struct rebuild *, struct answer_reader *))
{
	_cleanup_(freep) char *text = NULL;
	uint64_t nr = 0;
	size_t len;

	return ask(r, sql, &text, &len) ?: each_row(r, b, text, len, take, &nr);
}

/* What samples hosts are counted by. */
static enum query_kind shown_kind(const struct query *q)
{
	if (!q->one_of_others || (q->stacks != STACKS_CPU && q->stacks != STACKS_OFF_CPU))
		return QUERY_ANY;
	return q->stacks == STACKS_CPU ? QUERY_ON_CPU : QUERY_OFF_CPU;
}

/*
 * A PID means something on one host. Of many there are millions, which nobody looks for, and each would be a row.
 */
static int ask_hosts(struct request *r)
{
	_cleanup_(freep) char *answer = NULL;
	size_t len;
	int rc = ask(r, query_hosts(&r->query, shown_kind(&r->query)), &answer, &len);

	if (rc)
		return rc;
	sscanf(answer, "%" SCNu64 " %64[^\n]", &r->nr_hosts, r->host);
	r->query.apart[COLUMN_PID] &= r->nr_hosts < 2;
	return 0;
}

static int ask_any(struct request *r, enum query_kind kind, bool *ret)
{
	_cleanup_(freep) char *answer = NULL;
	size_t len;
	int rc = ask(r, query_any(&r->query, kind), &answer, &len);

	*ret = !rc && *answer == '1';
	return rc;
}

static int ask_samples(struct request *r, struct rebuild *b, enum query_kind kind, bool stacks)
{
	struct said *s = &r->said[r->nr_said];
	bool one = !stacks && kind != QUERY_ANY && r->query.one_of_others;
	uint64_t nr = 0;
	int rc = ask(r, one ? query_one(&r->query, kind) : query_samples(&r->query, kind, stacks), &s->text, &s->len);

	if (rc)
		return rc;
	s->kind = kind;
	s->stacks = stacks;
	r->nr_said++;
	return each_row(r, b, s->text, s->len, rebuild_note_stacks, &nr);
}

/* Which kind is usual depends on whether there are samples of CPU time. */
static int settle_kind(struct request *r)
{
	bool on_cpu;
	int rc;

	if (r->query.stacks != STACKS_USUAL)
		return 0;
	rc = ask_any(r, QUERY_ON_CPU, &on_cpu);
	r->query.stacks = on_cpu ? STACKS_CPU : STACKS_OFF_CPU;
	return rc;
}

/* Samples of all kinds; those that are shown with their stacks. */
static int ask_kinds(struct request *r, struct rebuild *b)
{
	enum query_stacks stacks = r->query.stacks;
	int rc;

	if (stacks == STACKS_ALL || stacks == STACKS_NONE)
		return ask_samples(r, b, QUERY_ANY, stacks == STACKS_ALL);
	rc = ask_samples(r, b, QUERY_ON_CPU, stacks == STACKS_CPU);
	return rc ?: ask_samples(r, b, QUERY_OFF_CPU, stacks == STACKS_OFF_CPU);
}

static int ask_names(struct request *r, struct rebuild *b)
{
	static const struct {
		char *(*query)(const struct query *q, const uint64_t *ids, size_t nr);
		int (*take)(struct rebuild *b, struct answer_reader *row);
	} tables[] = {{query_stacks, rebuild_stack}, {query_frames, rebuild_frame}};
	int rc = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct rebuild_ids *ids = i ? &b->frame_ids : &b->stack_ids;

		for (size_t at = 0; !rc && at < ids->nr; at += MAX_IDS)
			rc = ask_rows(r, b,
				      tables[i].query(&r->query, ids->v + at,
						      ids->nr - at < MAX_IDS ? ids->nr - at : MAX_IDS),
				      tables[i].take);
	}
	return rc;
}

/* What there is more of than rows that a server may give us is kept, but for its stacks. */
static int take_samples(struct request *r, struct rebuild *b)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->nr_said; i++) {
		const struct said *s = &r->said[i];
		uint64_t nr = 0;

		rc = each_row(r, b, s->text, s->len, rebuild_sample, &nr);
		if (!rc && s->stacks && nr >= r->query.max_rows)
			rc = ask_rows(r, b, query_others(&r->query, s->kind), rebuild_others);
	}
	if (!rc && b->others.n)
		fprintf(stderr,
			"dusk: there are more than %" PRIu64
			" different stacks, hosts and times: the lightest, %.1f s, are [other "
			"stacks]\n",
			r->query.max_rows, b->others.value / 1e9);
	return rc;
}

/* What the filters leave out, as far as it is needed to say of how much they do. */
static int take_rest(struct request *r, struct rebuild *b)
{
	bool needed = r->query.match && r->query.rest && !(r->query.rest == REST_USUAL && b->p->period_ns);

	return needed ? ask_rows(r, b, query_rest(&r->query), rebuild_sample) : 0;
}

static int take_bad(struct rebuild *b, struct answer_reader *r)
{
	const char *host = answer_text(r);
	uint64_t nr = answer_number(r, uint64_t);

	return r->failed ? -EBADMSG : rebuild_leave_out(b, host, nr);
}

/* Rows are counted where they are left out; but those may be of any host, if hosts are not distinguished. */
static int ask_bad(struct request *r, struct rebuild *b)
{
	bool words = b->left_out.nr;

	strings_done(&b->left_out_hosts);
	b->left_out_hosts = (struct strings){0};
	b->left_out.nr = 0;
	return ask_rows(r, b, query_bad(&r->query, shown_kind(&r->query), words), take_bad);
}

/* The name of a host, which may be any bytes, for a terminal. */
static const char *plain(char ret[HOST_NAME_MAX + 1], const char *host)
{
	size_t nr = 0;

	for (; host[nr] && nr < HOST_NAME_MAX; nr++)
		ret[nr] = host[nr] > ' ' && host[nr] <= '~' ? host[nr] : '?';
	ret[nr] = 0;
	return nr ? ret : "some host";
}

/* Anybody who may send can send what makes no sense: that is theirs to mend, and keeps nobody from reading the rest. */
static void say_left_out(const struct rebuild *b)
{
	char host[HOST_NAME_MAX + 1];

	for (size_t i = 0; i < b->left_out.nr && i < MAX_SAID; i++)
		fprintf(stderr,
			"dusk: %" PRIu64 " rows of %s make no sense, and are left out: is its dusk a newer one?\n",
			b->left_out.v[i], plain(host, strings_text(&b->left_out_hosts, i)));
	if (b->left_out.nr > MAX_SAID)
		fprintf(stderr, "dusk: ... and rows of %zu other hosts\n", b->left_out.nr - MAX_SAID);
}

static int ask_all(struct request *r, struct rebuild *b)
{
	bool any = true;
	int rc = settle_kind(r) ?: ask_hosts(r);

	if (!rc && !r->nr_hosts)
		rc = r->query.match || r->query.one_of_others ? ask_any(r, QUERY_ANY, &any) : (any = false, 0);
	if (!rc && !any)
		return error_set(r->err, -ENODATA, "there is nothing of that time at %s", client_place(r->client));
	rc = rc ?: ask_kinds(r, b);
	rc = rc ?: ask_names(r, b);
	rc = rc ?: take_samples(r, b);
	rc = rc ?: take_rest(r, b);
	rc = rc ?: ask_bad(r, b);
	return rc ?: ask_rows(r, b, query_counts(&r->query), rebuild_count);
}

static int set_number(struct rebuild *b, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return rebuild_setting(b, key, text);
}

static int describe(const struct request *r, struct rebuild *b)
{
	const struct query *q = &r->query;
	time_t start_s = q->from_s;
	char hosts[32], when[32];
	struct tm tm;
	int rc;

	snprintf(hosts, sizeof(hosts), "%" PRIu64 " hosts", r->nr_hosts);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start_s, &tm));
	rc = rebuild_setting(b, "version", dusk_version());
	rc = rc ?: rebuild_setting(b, "hostname", r->nr_hosts == 1 ? r->host : hosts);
	rc = rc ?: rebuild_setting(b, "scope", "machine") ?: rebuild_setting(b, "mode", "full");
	rc = rc ?: rebuild_setting(b, "start_time", when) ?: rebuild_setting(b, "event", "cpu-clock");
	rc = rc ?: set_number(b, "start_realtime_ns", q->from_s * NS_A_S);
	rc = rc ?: set_number(b, "duration_ns", (q->to_s - q->from_s) * NS_A_S);
	rc = rc ?: set_number(b, "window_ns", q->step_s * NS_A_S);
	rc = rc ?: set_number(b, "period_ns", b->p->period_ns);
	return rc ?: set_number(b, "frequency_hz", b->p->period_ns ? NS_A_S / b->p->period_ns : 0);
}

static int write_profile(const struct request *r, struct rebuild *b, const char *path)
{
	struct dusk_profile *p;
	int rc;

	if (b->nr_unknown)
		fprintf(stderr, "dusk: %" PRIu64 " stacks, or frames of them, are not in the store\n", b->nr_unknown);
	say_left_out(b);
	rc = describe(r, b);
	if (rc)
		return rc;
	p = rebuild_end(b);
	rc = strncmp(path, "fd:", 3) ? dusk_profile_write(p, path, 0, r->err)
				     : dusk_profile_write_fd(p, atoi(path + 3), 0, r->err);
	dusk_profile_free(p);
	return rc;
}

int fetch(struct client *c, uint64_t from_s, uint64_t to_s, const char *const *words, const char *path,
	  struct dusk_error *err)
{
	_cleanup_(request_done) struct request r = {
		.client = c,
		.query = {.database = client_database(c), .from_s = from_s, .to_s = to_s},
		.err = err,
	};
	struct rebuild b;
	int rc = rebuild_init(&b, from_s);

	r.query.step_s = (to_s - from_s) / PARTS ?: 1;
	rc = rc ?: query_read(&r.query, words, err);
	rc = rc ?: schema_reads(c, &r.query.suffix, err);
	rc = rc ?: sums_are_filled(c, &r.query.has_sums, err);
	rc = rc ?: ask_all(&r, &b);
	rc = rc ?: write_profile(&r, &b, path);
	rebuild_done(&b);
	return error_complete(err, rc, "cannot read a store");
}
