/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hosts, sizes, days. See status.h. */
#include "clickhouse/status.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/cleanup.h"
#include "lib/error.h"

#define HOSTS                                                                                               \
	"SELECT host, toString(max(ts)), toUInt64(greatest(0, toInt64(toUnixTimestamp(now())) - "           \
	"toInt64(toUnixTimestamp(max(ts))))) AS ago, count() FROM %s.samples WHERE ts > now() - 7 * 86400 " \
	"GROUP BY host ORDER BY ago, host FORMAT TabSeparated"
#define SIZES                                                                                                 \
	"SELECT table, sum(rows), sum(bytes_on_disk) FROM system.parts WHERE database = '%s' AND active AND " \
	"table IN ('samples', 'counts', 'stacks', 'frames', 'hosts') GROUP BY table ORDER BY table FORMAT "   \
	"TabSeparated"
#define DAYS                                                                                                \
	"SELECT DISTINCT table, partition FROM system.parts WHERE database = '%s' AND active AND table IN " \
	"('samples', "                                                                                      \
	"'counts') AND replaceAll(partition, '\\'', '') < '%s' ORDER BY partition, table FORMAT TabSeparatedRaw"

#define MAX_COLUMNS 4

/* Run the statement that @format makes of the database and of @word, and give each row of the answer to @row. */
static int each_line(struct client *c, const char *format, const char *word,
		     int (*row)(const char *const *column, struct client *c, void *ctx, struct dusk_error *err),
		     void *ctx, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	char sql[1024], *line, *rest;
	size_t len;
	int rc;

	snprintf(sql, sizeof(sql), format, client_database(c), word);
	rc = client_run(c, sql, NULL, NULL, &answer, &len, err);
	for (line = rc ? NULL : strtok_r(answer, "\n", &rest); line && !rc; line = strtok_r(NULL, "\n", &rest)) {
		const char *column[MAX_COLUMNS] = {"", "", "", ""};
		char *more;
		size_t nr = 0;

		for (char *text = strtok_r(line, "\t", &more); text && nr < MAX_COLUMNS;
		     text = strtok_r(NULL, "\t", &more))
			column[nr++] = text;
		rc = row(column, c, ctx, err);
	}
	return rc;
}

static int print_host(const char *const *column, struct client *c, void *ctx, struct dusk_error *err)
{
	uint64_t *least = ctx, ago_s = strtoull(column[2], NULL, 10);

	*least = ago_s < *least ? ago_s : *least;
	printf("%-24s %-20s %12s %12s\n", column[0], column[1], column[2], column[3]);
	return 0;
}

static int print_size(const char *const *column, struct client *c, void *ctx, struct dusk_error *err)
{
	printf("%-24s %20s %25s\n", column[0], column[1], column[2]);
	return 0;
}

int status_print(struct client *c, uint64_t *ago_s, struct dusk_error *err)
{
	int rc;

	*ago_s = UINT64_MAX;
	printf("%-24s %-20s %12s %12s\n", "host", "last, UTC", "seconds ago", "rows");
	rc = each_line(c, HOSTS, "", print_host, ago_s, err);
	if (rc)
		return rc;
	printf("\n%-24s %20s %25s\n", "table", "rows", "bytes");
	return each_line(c, SIZES, "", print_size, NULL, err);
}

static int drop(const char *const *column, struct client *c, void *ctx, struct dusk_error *err)
{
	char sql[256];
	const char *quote = *column[1] == '\'' ? "" : "'";

	snprintf(sql, sizeof(sql), "ALTER TABLE %s.%s DROP PARTITION %s%s%s", client_database(c), column[0], quote,
		 column[1], quote);
	printf("%s of %s\n", column[1], column[0]);
	return client_run(c, sql, NULL, NULL, NULL, NULL, err);
}

int drop_before(struct client *c, const char *day, struct dusk_error *err)
{
	struct tm tm = {0};
	const char *rest = strptime(day, "%Y-%m-%d", &tm);

	if (!rest || *rest || strlen(day) != strlen("2026-11-21"))
		return error_set(err, -EINVAL, "%s is not a day, such as 2026-11-21", day);
	return each_line(c, DAYS, day, drop, NULL, err);
}
