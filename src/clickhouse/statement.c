/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sender says. See statement.h. */
#include "clickhouse/statement.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define DAY_S 86400
#define FROM "ts >= toDateTime("
#define BATCH " AND batch = "

char *statement_insert(const char *database, const char *columns)
{
	char *sql;

	return asprintf(&sql, "INSERT INTO %s.%s FORMAT RowBinary", database, columns) < 0 ? NULL : sql;
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
