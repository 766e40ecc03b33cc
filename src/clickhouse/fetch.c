/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ask a server for what a profile needs. See fetch.h. */
#include "clickhouse/fetch.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "clickhouse/rebuild.h"
#include "lib/error.h"

#define NS_A_S 1000000000ULL
#define PARTS 100 /* of the time: samples are summed up over each */

/* What is asked for. */
struct request {
	struct client *client;
	const char *database;
	char *where;
	uint64_t from_s, to_s, step_s;
	bool by_pid;
	struct dusk_error *err;
};

static bool is_label(const char *word, size_t len)
{
	static const char *const labels[] = {"host", "service",	  "version", "unit", "container",
					     "pod",  "namespace", "comm",    "kind"};

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strlen(labels[i]) == len && !memcmp(labels[i], word, len))
			return true;
	return false;
}

/* Text for SQL, in quotes. */
static void put_quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('\'', out);
}

static int set_where(struct request *r, const char *const *filters)
{
	size_t len;
	FILE *out = open_memstream(&r->where, &len);
	int rc = out ? 0 : -ENOMEM;

	if (out)
		fprintf(out, "ts >= toDateTime(%" PRIu64 ") AND ts < toDateTime(%" PRIu64 ")", r->from_s, r->to_s);
	for (; !rc && *filters; filters++) {
		const char *is = strchr(*filters, '=');

		if (!is || !is_label(*filters, is - *filters)) {
			rc = error_set(
				r->err, -EINVAL,
				"a server cannot look for %s; for host=, service=, version=, unit=, container=, pod=, "
				"namespace=, comm= or kind=",
				*filters);
			break;
		}
		fprintf(out, " AND %.*s = ", (int)(is - *filters), *filters);
		put_quoted(out, is + 1);
	}
	if (out && fclose(out))
		rc = -ENOMEM;
	return rc;
}

/* Run the statement @sql, which this frees, and give each row of the answer to @take. */
static int each_row(struct request *r, struct rebuild *b, char *sql,
		    int (*take)(struct rebuild *, struct answer_reader *))
{
	_cleanup_(freep) char *text = NULL;
	struct answer_reader rows = {.texts = b->texts};
	size_t len;
	int rc = sql ? client_run(r->client, sql, NULL, NULL, &text, &len, r->err) : -ENOMEM;

	free(sql);
	if (rc)
		return rc;
	rows.at = (const uint8_t *)text;
	rows.end = rows.at + len;
	while (!rc && answer_has_more(&rows))
		rc = take(b, &rows);
	if (rc == -EBADMSG)
		return error_set(r->err, rc,
				 "the answer of the server at %s makes no sense: is the store of another dusk?",
				 client_place(r->client));
	return rc;
}

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

/* The stacks of what is asked for. */
static char *stacks_with(const struct request *r, const char *columns, const char *rest)
{
	return print(
		"SELECT %s FROM %s.stacks WHERE stack IN (SELECT DISTINCT ustack FROM %s.samples WHERE %s) OR stack IN "
		"(SELECT DISTINCT kstack FROM %s.samples WHERE %s)%s",
		columns, r->database, r->database, r->where, r->database, r->where, rest);
}

static char *stacks_of(const struct request *r)
{
	return stacks_with(r, REBUILD_STACKS, " LIMIT 1 BY stack FORMAT RowBinary");
}

static char *frames_of(const struct request *r)
{
	_cleanup_(freep) char *used = stacks_with(r, "arrayJoin(frames)", "");

	return used ? print("SELECT " REBUILD_FRAMES
			    " FROM %s.frames WHERE frame IN (%s) ORDER BY rev DESC LIMIT 1 BY frame "
			    "FORMAT RowBinary",
			    r->database, used)
		    : NULL;
}

static char *samples_of(const struct request *r)
{
	const char *columns = r->by_pid ? REBUILD_SAMPLES("pid") : REBUILD_SAMPLES("toUInt32(0) AS no_pid");
	uint64_t from_s = r->from_s, step_s = r->step_s;

	return print("SELECT toUInt32(%" PRIu64 " + intDiv(toUInt32(ts) - %" PRIu64 ", %" PRIu64 ") * %" PRIu64
		     ") AS t, %s "
		     "FROM %s.samples WHERE %s GROUP BY t, " REBUILD_LABELS "%s" REBUILD_STACK " FORMAT RowBinary",
		     from_s, from_s, step_s, step_s, columns, r->database, r->where, r->by_pid ? "pid" : "no_pid");
}

/* A batch of counts that came twice is there twice until the server has merged its parts. */
static char *counts_of(const struct request *r)
{
	return print(
		"SELECT name, sum(v) FROM (SELECT name, any(value) AS v FROM %s.counts WHERE ts >= toDateTime(%" PRIu64
		") AND ts < toDateTime(%" PRIu64 ") GROUP BY name, ts, host, batch) GROUP BY name FORMAT RowBinary",
		r->database, r->from_s, r->to_s);
}

/* A PID means something on one host. Of many there are millions, which nobody looks for, and each would be a row. */
static int choose_pids(struct request *r)
{
	_cleanup_(freep) char *sql = print("SELECT uniq(host) FROM %s.samples WHERE %s", r->database, r->where),
			      *answer = NULL;
	size_t len;
	int rc = sql ? client_run(r->client, sql, NULL, NULL, &answer, &len, r->err) : -ENOMEM;

	r->by_pid = !rc && strtoul(answer, NULL, 10) < 2;
	return rc;
}

static int ask(struct request *r, struct rebuild *b)
{
	static const struct {
		char *(*query)(const struct request *r);
		int (*take)(struct rebuild *b, struct answer_reader *row);
	} queries[] = {
		{frames_of, rebuild_frame},
		{stacks_of, rebuild_stack},
		{samples_of, rebuild_sample},
		{counts_of, rebuild_count},
	};
	int rc = choose_pids(r);

	for (size_t i = 0; !rc && i < sizeof(queries) / sizeof(queries[0]); i++)
		rc = each_row(r, b, queries[i].query(r), queries[i].take);
	return rc;
}

static int set_number(struct rebuild *b, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return rebuild_setting(b, key, text);
}

static int describe(const struct request *r, struct rebuild *b)
{
	time_t start_s = r->from_s;
	char hosts[HOST_NAME_MAX + 32], when[32];
	struct tm tm;
	int rc;

	if (b->hosts.nr == 1)
		snprintf(hosts, sizeof(hosts), "%s", strings_text(&b->hosts, 0));
	else
		snprintf(hosts, sizeof(hosts), "%zu hosts", b->hosts.nr);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start_s, &tm));
	rc = rebuild_setting(b, "version", dusk_version()) ?: rebuild_setting(b, "hostname", hosts);
	rc = rc ?: rebuild_setting(b, "scope", "machine") ?: rebuild_setting(b, "mode", "full");
	rc = rc ?: rebuild_setting(b, "start_time", when) ?: rebuild_setting(b, "event", "cpu-clock");
	rc = rc ?: set_number(b, "start_realtime_ns", r->from_s * NS_A_S);
	rc = rc ?: set_number(b, "duration_ns", (r->to_s - r->from_s) * NS_A_S);
	rc = rc ?: set_number(b, "window_ns", r->step_s * NS_A_S);
	rc = rc ?: set_number(b, "period_ns", b->p->period_ns);
	return rc ?: set_number(b, "frequency_hz", b->p->period_ns ? NS_A_S / b->p->period_ns : 0);
}

static int write_profile(const struct request *r, struct rebuild *b, const char *path)
{
	struct dusk_profile *p;
	int rc;

	if (!b->samples.nr)
		return error_set(r->err, -ENODATA, "there is nothing of that time at %s", client_place(r->client));
	if (b->nr_unknown)
		fprintf(stderr, "dusk: %" PRIu64 " stacks, or frames of them, are not in the store\n", b->nr_unknown);
	rc = describe(r, b);
	if (rc)
		return rc;
	p = rebuild_end(b);
	rc = dusk_profile_write(p, path, 0, r->err);
	dusk_profile_free(p);
	return rc;
}

int fetch(struct client *c, uint64_t from_s, uint64_t to_s, const char *const *filters, const char *path,
	  struct dusk_error *err)
{
	struct request r = {.client = c, .database = client_database(c), .from_s = from_s, .to_s = to_s, .err = err};
	struct rebuild b;
	int rc = rebuild_init(&b, from_s);

	r.step_s = (to_s - from_s) / PARTS ?: 1;
	rc = rc ?: set_where(&r, filters);
	rc = rc ?: ask(&r, &b);
	rc = rc ?: write_profile(&r, &b, path);
	free(r.where);
	rebuild_done(&b);
	return error_complete(err, rc, "cannot read a store");
}
