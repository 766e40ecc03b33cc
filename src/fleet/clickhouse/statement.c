/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sender says. See statement.h. */
#include "fleet/clickhouse/statement.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/clickhouse/rows.h"

#define DAY_S 86400
#define FROM "ts >= toDateTime("
#define BATCH " AND batch = "
#define HOST " AND host = '"
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
#define CURSOR(format) "%" format "\t%" format "\t%" format "\t%" format

char *statement_insert(const char *database, const char *columns)
{
	char *sql;

	return asprintf(&sql, "INSERT INTO %s.%s" STATEMENT_FORMAT, database, columns) < 0 ? NULL : sql;
}

/* A batch is one block of one partition: one row of it is there only if all of them are. */
char *statement_arrived(const char *database, const char *table, uint32_t day, uint64_t batch)
{
	char *sql;

	return asprintf(&sql,
			"SELECT count() > 0 FROM %s.%s WHERE " FROM "%" PRIu64 ") AND ts < toDateTime(%" PRIu64
			")" BATCH "%" PRIu64,
			database, table, day * (uint64_t)DAY_S, (day + 1) * (uint64_t)DAY_S, batch) < 0
		       ? NULL
		       : sql;
}

bool statement_is_arrived(const char *sql, const char *database, uint32_t *day, uint64_t *batch)
{
	const char *from = strstr(sql, FROM), *number = strstr(sql, BATCH);
	_cleanup_(freep) char *same = NULL;

	if (!from || !number)
		return false;
	*day = strtoull(from + strlen(FROM), NULL, 10) / DAY_S;
	*batch = strtoull(number + strlen(BATCH), NULL, 10);
	same = statement_arrived(database, "samples", *day, *batch);
	return same && !strcmp(same, sql);
}

int statement_ask_arrived(struct client *c, const char *table, uint32_t day, uint64_t batch, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = statement_arrived(client_database(c), table, day, batch), *answer = NULL;
	size_t len;
	int rc = sql ? client_run(c, sql, NULL, NULL, &answer, &len, err) : -ENOMEM;

	return rc ?: *answer == '1';
}

/* Tables of counts are sorted by host: naming it is faster, and no more than that. */
char *statement_end(const char *database, const char *table, const char *host, uint32_t day, uint64_t batch)
{
	bool plain = *host && strspn(host, PLAIN) == strlen(host);
	char *sql;

	return asprintf(&sql,
			"SELECT maxIf(value, name = '" ROWS_END_SAMPLE "'), maxIf(value, name = '" ROWS_END_WINDOW
			"'), maxIf(value, name = '" ROWS_END_OFFCPU "'), maxIf(value, name = '" ROWS_END_COUNT
			"') FROM %s.%s WHERE " FROM "%" PRIu64 ") AND ts < toDateTime(%" PRIu64 ")%s%s%s" BATCH
			"%" PRIu64,
			database, table, day * (uint64_t)DAY_S, (day + 1) * (uint64_t)DAY_S, plain ? HOST : "",
			plain ? host : "", plain ? "'" : "", batch) < 0
		       ? NULL
		       : sql;
}

bool statement_is_end(const char *sql, const char *database, char host[HOST_NAME_MAX + 1], uint32_t *day,
		      uint64_t *batch)
{
	const char *from = strstr(sql, FROM), *number = strstr(sql, BATCH), *name = strstr(sql, HOST);
	_cleanup_(freep) char *same = NULL;

	if (!from || !number)
		return false;
	name = name ? name + strlen(HOST) : "";
	snprintf(host, HOST_NAME_MAX + 1, "%.*s", (int)strspn(name, PLAIN), name);
	*day = strtoull(from + strlen(FROM), NULL, 10) / DAY_S;
	*batch = strtoull(number + strlen(BATCH), NULL, 10);
	same = statement_end(database, "counts", host, *day, *batch);
	return same && !strcmp(same, sql);
}

int statement_ask_end(struct client *c, const char *table, const char *host, uint32_t day, uint64_t batch,
		      struct profile_cursor *to, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = statement_end(client_database(c), table, host, day, batch), *answer = NULL;
	struct profile_cursor end = {0};
	size_t len;
	int rc = sql ? client_run(c, sql, NULL, NULL, &answer, &len, err) : -ENOMEM;

	if (rc)
		return rc;
	if (sscanf(answer, CURSOR(SCNd64), &end.sample, &end.window, &end.offcpu, &end.window_count) != 4 ||
	    (!end.sample && !end.window && !end.offcpu && !end.window_count))
		return 0;
	*to = end;
	return 1;
}

int statement_write_end(char *ret, size_t room, const struct profile_cursor *to)
{
	return snprintf(ret, room, CURSOR(PRId64) "\n", to->sample, to->window, to->offcpu, to->window_count);
}
