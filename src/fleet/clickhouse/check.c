/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taken, stored, lost. See check.h; src/report/model/balance.h is the same of a profile. */
#include "fleet/clickhouse/check.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/clickhouse/sums.h"
#include "lib/error.h"

/*
 * A batch of counts that came twice is there twice until the server has merged its parts, hence any(). Samples are sent once. What is
 * missing of what was taken more than an hour ago, @old, is on no way any more.
 */
#define OLD "ts < now() - 3600"
#define QUERY                                                                                                   \
	"SELECT host, what, m, sum(taken), sum(stored), sum(lost), sum(missing), sum(old) FROM ("               \
	"SELECT host, '%s' AS what, %s AS m, sumIf(v, name IN (%s)) AS taken, toUInt64(0) AS stored, sumIf(v, " \
	"name IN (%s)) AS lost, sum(toInt64(v) * (%s)) AS missing, sum(toInt64(v) * (%s) * (" OLD ")) AS old "  \
	"FROM (SELECT host, ts, name, batch, any(value) AS v FROM %s.counts%s GROUP BY host, ts, name, batch) " \
	"GROUP BY host, m UNION ALL "                                                                           \
	"SELECT host, '%s' AS what, %s AS m, toUInt64(0) AS taken, sum(n) AS stored, toUInt64(0) AS lost, "     \
	"-toInt64(stored) AS missing, -toInt64(sumIf(n, " OLD ")) AS old FROM %s.samples%s "                    \
	"WHERE (kind = 'on-cpu') = %d GROUP BY host, m) GROUP BY host, what, m ORDER BY host, m FORMAT TabSeparated"
#define COLUMNS 8

/*
 * What senders say that a batch has, and what of it is stored. What they did not say, as an
 * older dusk, is not looked at.
 */
#define SENT                                                                                                           \
	"SELECT host, toInt64(sum(s)) - toInt64(sum(k)) - toInt64(sum(r)) AS missing, sum(o) FROM ("                   \
	"SELECT host, batch, sum(sent) AS s, sum(stored) AS k, sum(refused) AS r, sum(old) AS o FROM ("                \
	"SELECT host, batch, sumIf(v, name = '%s') AS sent, toUInt64(0) AS stored, sumIf(v, name = '%s') AS refused, " \
	"toInt64(sumIf(v, name = '%s' AND " OLD ")) - toInt64(sumIf(v, name = '%s' AND " OLD ")) AS old FROM "         \
	"(SELECT host, ts, name, batch, any(value) AS v FROM %s.counts%s WHERE name IN ('%s', '%s') "                  \
	"GROUP BY host, ts, name, batch) GROUP BY host, batch UNION ALL "                                              \
	"SELECT host, batch, toUInt64(0) AS sent, sum(n) AS stored, toUInt64(0) AS refused, "                          \
	"-toInt64(sumIf(n, " OLD ")) AS old FROM %s.samples%s WHERE (kind = 'on-cpu') = %d GROUP BY host, batch) "     \
	"GROUP BY host, batch HAVING s > 0 OR r > 0) GROUP BY host HAVING missing != 0 ORDER BY host FORMAT "          \
	"TabSeparated"

#define LOST_SAMPLES "'lost-samples', '" ROWS_REFUSED_SAMPLES "'"
#define TAKEN_OFFCPU "'offcpu-intervals', 'offcpu-unended'"
#define LOST_OFFCPU "'lost-offcpu', '" ROWS_REFUSED_OFFCPU "'"

static const struct {
	const char *what, *taken, *lost;
	const char *by; /* what one of a counter adds to what is to be stored; src/report/model/balance.h */
	const char *sent, *refused;
	int on_cpu;
} kinds[] = {
	{"samples", "'samples'", LOST_SAMPLES, "(name = 'samples') - (name IN (" LOST_SAMPLES "))", ROWS_SENT_SAMPLES,
	 ROWS_REFUSED_SAMPLES, 1},
	{"off-CPU intervals", TAKEN_OFFCPU, LOST_OFFCPU,
	 "(name IN (" TAKEN_OFFCPU ", 'offcpu-stood-for')) - (name IN (" LOST_OFFCPU ", 'offcpu-sampled-out'))",
	 ROWS_SENT_OFFCPU, ROWS_REFUSED_OFFCPU, 0},
};

/* A row of the answer: host, what, minute, taken, stored, lost, missing, what of this is old. */
static void print_row(char *line, bool minutes, struct check_result *ret)
{
	char *column[COLUMNS] = {line}, *rest = line;
	size_t nr = 1;

	for (; nr < COLUMNS && (rest = strchr(rest, '\t')); nr++) {
		*rest++ = 0;
		column[nr] = rest;
	}
	if (nr < COLUMNS)
		return;
	utf8_make_printable(column[0]); /* any sender's name of its host */
	printf("%-20s %-20s %-18s %12s %12s %10s %10s", column[0], minutes ? column[2] : "", column[1], column[3],
	       column[4], column[5], column[6]);
	/* Profiles without windows have no counts. */
	if (!minutes && strcmp(column[3], "0")) {
		bool twice = strtoll(column[6], NULL, 10) < 0, gone = strtoll(column[7], NULL, 10) > 0;

		ret->twice |= twice;
		ret->gone |= gone;
		fputs(twice || gone ? " WRONG" : "", stdout);
	}
	putchar('\n');
}

/* A row of the answer: host, what is missing of what was sent, and what of that is old. */
static void take_sent(char *line, const char *what, struct check_result *ret)
{
	long long missing, old;
	char *rest = strchr(line, '\t');

	if (!rest || sscanf(rest, "%lld %lld", &missing, &old) != 2)
		return;
	*rest = 0;
	ret->twice |= missing < 0;
	ret->gone |= old > 0;
	if (missing < 0 || old > 0)
		printf("%-20s %-20s %-18s %12s %12s %10s %10lld WRONG\n", line, "", what, "of a batch", "", "",
		       missing);
}

static int check_sent(struct client *c, const char *suffix, size_t i, struct check_result *ret, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL, *answer = NULL;
	const char *database = client_database(c), *sent = kinds[i].sent, *refused = kinds[i].refused;
	char *line, *rest;
	size_t len;
	int rc;

	if (asprintf(&sql, SENT, sent, refused, sent, refused, database, suffix, sent, refused, database, suffix,
		     kinds[i].on_cpu) < 0) {
		sql = NULL;
		return error_set(err, -ENOMEM, "cannot check a store: out of memory");
	}
	rc = client_run(c, sql, NULL, NULL, &answer, &len, err);
	for (line = rc ? NULL : strtok_r(answer, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		take_sent(line, kinds[i].what, ret);
	return rc;
}

int check_server(struct client *c, bool minutes, struct check_result *ret, struct dusk_error *err)
{
	const char *m = minutes ? "toStartOfMinute(ts)" : "toDateTime(0)", *database = client_database(c);
	const char *suffix = "";
	int rc = schema_reads(c, &suffix, err);

	if (rc)
		return rc;
	printf("%-20s %-20s %-18s %12s %12s %10s %10s\n", "host", minutes ? "minute" : "", "what", "taken", "stored",
	       "lost", "missing");
	for (size_t i = 0; !rc && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		_cleanup_(freep) char *sql = NULL, *answer = NULL;
		char *line, *rest;
		size_t len;

		if (asprintf(&sql, QUERY, kinds[i].what, m, kinds[i].taken, kinds[i].lost, kinds[i].by, kinds[i].by,
			     database, suffix, kinds[i].what, m, database, suffix, kinds[i].on_cpu) < 0) {
			sql = NULL;
			return error_set(err, -ENOMEM, "cannot check a store: out of memory");
		}
		rc = client_run(c, sql, NULL, NULL, &answer, &len, err);
		for (line = rc ? NULL : strtok_r(answer, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			print_row(line, minutes, ret);
		if (!rc && !minutes)
			rc = check_sent(c, suffix, i, ret, err);
	}
	return rc ?: sums_are_missing(c, suffix, &ret->unsummed, err);
}
