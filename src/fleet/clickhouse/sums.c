/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums by labels. See sums.h. */
#include "fleet/clickhouse/sums.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/clickhouse/schema.h"
#include "lib/error.h"

#define HOUR_S 3600
#define DAY_S 86400ULL

#define LABELS "ts, host, service, version, unit, container, pod, namespace, kind, outcome"
#define OF(samples)                                                                                           \
	"SELECT " LABELS ", sum(n) AS n, sum(value) AS value, sum(runnable) AS runnable, batch FROM " samples \
	" GROUP BY " LABELS ", batch"
#define MAKE "CREATE MATERIALIZED VIEW IF NOT EXISTS @.sums_of_samples TO @.sums AS " OF("@.samples")
/* Of what came twice only once: here it would not collapse any more. */
#define FILL                                                                                                     \
	"INSERT INTO @.sums (" LABELS ", n, value, runnable, batch) " OF(                                        \
		"(SELECT * FROM @.samples FINAL WHERE %s AND batch NOT IN (SELECT batch FROM @.sums WHERE %s)) " \
		"AS missing")
#define HOURS                                                                                                         \
	"SELECT toUInt32(hour) FROM (SELECT toStartOfHour(ts) AS hour, sum(n) AS a, toUInt64(0) AS b FROM @.samples " \
	"GROUP BY hour UNION ALL SELECT toStartOfHour(ts) AS hour, toUInt64(0) AS a, sum(n) AS b FROM @.sums GROUP "  \
	"BY hour) AS hours GROUP BY hour HAVING sum(a) != sum(b) ORDER BY hour FORMAT TabSeparated"
/* Of what came an hour ago; what comes just now is in samples first. */
#define MISSING                                                                                                      \
	"SELECT (SELECT sum(n) FROM @.samples%s WHERE ts < now() - 3600) > (SELECT sum(n) FROM @.sums%s WHERE ts < " \
	"now() - 3600)"
#define SAY "CREATE VIEW IF NOT EXISTS @.sums_filled AS SELECT count() AS nr FROM @.sums"
#define ASK "SELECT count() FROM system.tables WHERE database = '@' AND name = 'sums_filled'"

/* The same of some batches, of which a server has all rows or none. It reads their rows only: FINAL would read those of all of the day. */
#define MEND                                                                                                        \
	"INSERT INTO @.sums (" LABELS ", n, value, runnable, batch) " OF(                                           \
		"(SELECT DISTINCT * FROM @.samples WHERE %s AND batch NOT IN (SELECT batch FROM @.sums WHERE %s)) " \
		"AS missing")
#define HAVE "SELECT uniqExact(batch) FROM @.sums WHERE %s"

int sums_make(struct client *c, struct dusk_error *err)
{
	return schema_run(c, MAKE, NULL, NULL, err);
}

static int fill(struct client *c, uint64_t from_s, uint64_t to_s, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL;
	char which[128];

	snprintf(which, sizeof(which), "ts >= toDateTime(%" PRIu64 ") AND ts < toDateTime(%" PRIu64 ")", from_s, to_s);
	if (asprintf(&sql, FILL, which, which) < 0) {
		sql = NULL;
		return error_set(err, -ENOMEM, "cannot make sums: out of memory");
	}
	return schema_run(c, sql, NULL, NULL, err);
}

int sums_fill(struct client *c, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	size_t len;
	int rc = schema_run(c, HOURS, &answer, &len, err);
	char *rest;

	for (char *hour = rc ? NULL : strtok_r(answer, "\n", &rest); hour && !rc; hour = strtok_r(NULL, "\n", &rest)) {
		uint64_t from_s = strtoull(hour, NULL, 10);

		rc = fill(c, from_s, from_s + HOUR_S, err);
	}
	return rc;
}

int sums_say_filled(struct client *c, struct dusk_error *err)
{
	return schema_run(c, SAY, NULL, NULL, err);
}

int sums_are_filled(struct client *c, bool *ret, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	size_t len;
	int rc = schema_run(c, ASK, &answer, &len, err);

	*ret = !rc && *answer == '1';
	return rc;
}

int sums_are_missing(struct client *c, const char *suffix, bool *ret, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	char sql[256];
	size_t len;
	bool filled;
	int rc = sums_are_filled(c, &filled, err);

	*ret = false;
	if (rc || !filled)
		return rc;
	snprintf(sql, sizeof(sql), MISSING, suffix, suffix);
	rc = schema_run(c, sql, &answer, &len, err);
	*ret = !rc && *answer == '1';
	return rc;
}

/* The condition that names @batches of a day. NULL: memory is short. */
static char *condition(uint32_t day, const uint64_t *batches, size_t nr)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "ts >= toDateTime(%llu) AND ts < toDateTime(%llu) AND batch IN (", day * DAY_S, (day + 1) * DAY_S);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, i ? ",%" PRIu64 : "%" PRIu64, batches[i]);
	putc(')', out);
	return fclose(out) ? NULL : text;
}

int sums_mend(struct client *c, uint32_t day, const uint64_t *batches, size_t nr, struct dusk_error *err)
{
	_cleanup_(freep) char *which = condition(day, batches, nr), *have = NULL, *mend = NULL, *answer = NULL;
	size_t len;
	int rc;

	if (!nr)
		return 0;
	if (!which || asprintf(&have, HAVE, which) < 0)
		have = NULL;
	if (!have || asprintf(&mend, MEND, which, which) < 0) {
		mend = NULL;
		return error_set(err, -ENOMEM, "cannot make sums: out of memory");
	}
	rc = schema_run(c, have, &answer, &len, err);
	if (!rc && strtoull(answer, NULL, 10) < nr)
		rc = schema_run(c, mend, NULL, NULL, err);
	return rc == -EINVAL ? 0 : rc;
}
