/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hosts, sizes, days. See status.h. */
#include "fleet/clickhouse/status.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "fleet/clickhouse/schema.h"
#include "lib/error.h"

/* In each statement "@" stands for the database, "#" for what names of tables end with, and "~" for a word. */
#define HOSTS                                                                                               \
	"SELECT host, toString(max(ts), 'UTC'), toUInt64(greatest(0, toInt64(toUnixTimestamp(now())) - "    \
	"toInt64(toUnixTimestamp(max(ts))))) AS ago, count() FROM @.samples# WHERE ts > now() - 7 * 86400 " \
	"GROUP BY host ORDER BY ago, host FORMAT TabSeparated"
/* Each batch of a host renews its row: there are few, and no samples are read. */
#define NEWEST                                                                                                  \
	"SELECT toUInt64(greatest(0, toInt64(toUnixTimestamp(now())) - toInt64(toUnixTimestamp(max(seen))))), " \
	"count() FROM @.hosts#"
#define CLUSTER                                                                                                       \
	"SELECT extract(engine_full, 'Distributed\\\\(\\'?([A-Za-z0-9_]+)') FROM system.tables WHERE database = '@' " \
	"AND "                                                                                                        \
	"name = 'samples#'"
#define SIZES                                                                                                 \
	"SELECT table, sum(rows), sum(bytes_on_disk) FROM ~ WHERE database = '@' AND active AND table "       \
	"IN ('samples', 'sums', 'counts', 'stacks', 'frames', 'hosts') GROUP BY table ORDER BY table FORMAT " \
	"TabSeparated"
/* Of replicas one removes parts; it is asked itself. */
#define DAYS                                                                                                           \
	"SELECT DISTINCT table, partition FROM system.parts WHERE database = '@' AND active AND table IN ('samples', " \
	"'sums', 'counts') AND table NOT IN (SELECT table FROM system.replicas WHERE database = '@' AND NOT "          \
	"is_leader) AND "                                                                                              \
	"replaceAll(partition, '\\'', '') < '~' ORDER BY partition, table FORMAT TabSeparatedRaw"
#define LEFT "SELECT toString(toDate(ts)) FROM @.samples# WHERE ts < toDateTime('~ 00:00:00') LIMIT 1"

#define MAX_COLUMNS 4

static char *filled(const struct client *c, const char *sql, const char *suffix, const char *word)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (; out && *sql; sql++)
		if (*sql == '@')
			fputs(client_database(c), out);
		else if (*sql == '#')
			fputs(suffix, out);
		else if (*sql == '~')
			fputs(word, out);
		else
			putc(*sql, out);
	if (!out || fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* What the server answers to @sql. */
static int ask(struct client *c, const char *sql, const char *suffix, const char *word, char **answer,
	       struct dusk_error *err)
{
	_cleanup_(freep) char *text = filled(c, sql, suffix, word);
	size_t len;

	return text ? client_run(c, text, NULL, NULL, answer, &len, err)
		    : error_set(err, -ENOMEM, "cannot ask a server: out of memory");
}

/* Give each row of the answer to @sql to @row. */
static int each_line(struct client *c, const char *sql, const char *suffix, const char *word,
		     int (*row)(const char *const *column, struct client *c, void *ctx, struct dusk_error *err),
		     void *ctx, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	char *line, *rest;
	int rc = ask(c, sql, suffix, word, &answer, err);

	for (line = rc ? NULL : strtok_r(answer, "\n", &rest); line && !rc; line = strtok_r(NULL, "\n", &rest)) {
		const char *column[MAX_COLUMNS] = {"", "", "", ""};
		char *more;
		size_t nr = 0;

		for (char *text = strtok_r(line, "\t", &more); text && nr < MAX_COLUMNS;
		     text = strtok_r(NULL, "\t", &more))
			column[nr++] = utf8_make_printable(text);
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

/* Where the parts of tables are listed: those of one replica of each shard. */
static int find_parts(struct client *c, const char *suffix, char ret[128], struct dusk_error *err)
{
	_cleanup_(freep) char *cluster = NULL;
	int rc = *suffix ? ask(c, CLUSTER, suffix, "", &cluster, err) : 0;

	if (!rc && cluster)
		snprintf(ret, 128, "cluster(%.*s, system.parts)", (int)strcspn(cluster, "\n"), cluster);
	else
		strcpy(ret, "system.parts");
	return rc;
}

int status_print(struct client *c, uint64_t *ago_s, struct dusk_error *err)
{
	const char *suffix;
	char parts[128];
	int rc = schema_reads(c, &suffix, err);

	*ago_s = UINT64_MAX;
	rc = rc ?: find_parts(c, suffix, parts, err);
	if (rc)
		return rc;
	printf("%-24s %-20s %12s %12s\n", "host", "last, UTC", "seconds ago", "rows");
	rc = each_line(c, HOSTS, suffix, "", print_host, ago_s, err);
	if (rc)
		return rc;
	printf("\n%-24s %20s %25s\n", "table", "rows", "bytes");
	return each_line(c, SIZES, suffix, parts, print_size, NULL, err);
}

int status_newest(struct client *c, uint64_t *ago_s, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	unsigned long long ago = 0, nr = 0;
	const char *suffix;
	int rc = schema_reads(c, &suffix, err);

	rc = rc ?: ask(c, NEWEST, suffix, "", &answer, err);
	if (!rc)
		sscanf(answer, "%llu %llu", &ago, &nr);
	*ago_s = nr ? ago : UINT64_MAX;
	return rc;
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
	return each_line(c, DAYS, "", day, drop, NULL, err);
}

int drop_check(struct client *c, const char *day, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	const char *suffix;
	int rc = schema_reads(c, &suffix, err);

	rc = rc ?: ask(c, LEFT, suffix, day, &answer, err);
	if (rc || !*answer)
		return rc;
	return error_set(
		err, -EEXIST,
		"another shard still has %.*s: name each server of the cluster; or none of its replicas leads just now",
		(int)strcspn(answer, "\n"), answer);
}
