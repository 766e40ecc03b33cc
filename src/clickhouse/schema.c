/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables. See schema.h. */
#include "clickhouse/schema.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "lib/error.h"

/* In each statement "@" stands for the database. */
static const char *const statements[] = {
	"CREATE DATABASE IF NOT EXISTS @",
	"CREATE TABLE IF NOT EXISTS @.samples (ts DateTime, host String, service String, version String, unit String, "
	"container String, pod String, namespace String, pid UInt32, comm String, kind String, outcome String, "
	"ustack UInt64, kstack UInt64, n UInt64, value UInt64, runnable UInt64, batch UInt64) "
	"ENGINE = ReplacingMergeTree PARTITION BY toDate(ts) PRIMARY KEY (service, kind, ts, host) "
	"ORDER BY (service, kind, ts, host, version, unit, container, pod, namespace, pid, comm, outcome, ustack, "
	"kstack, "
	"batch)",
	"CREATE TABLE IF NOT EXISTS @.counts (ts DateTime, host String, name String, value UInt64, batch UInt64) "
	"ENGINE = ReplacingMergeTree PARTITION BY toDate(ts) ORDER BY (host, ts, name, batch)",
	"CREATE TABLE IF NOT EXISTS @.stacks (stack UInt64, seen DateTime, frames Array(UInt64)) "
	"ENGINE = ReplacingMergeTree(seen) ORDER BY stack SETTINGS index_granularity = 256",
	"CREATE TABLE IF NOT EXISTS @.frames (frame UInt64, rev UInt32, build_id String, module String, off UInt64, "
	"is_return UInt8, func String, image String, func_off UInt32, file String, line UInt32, "
	"inl Nested(func String, file String, line UInt32)) "
	"ENGINE = ReplacingMergeTree(rev) ORDER BY frame SETTINGS index_granularity = 256",
	"CREATE TABLE IF NOT EXISTS @.hosts (host String, seen DateTime, kernel String, machine String, cpus UInt32, "
	"dusk String) ENGINE = ReplacingMergeTree(seen) ORDER BY host",
};

/* @sql with the database in place of "@". */
static char *filled(const struct client *c, const char *sql)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (; out && *sql; sql++)
		if (*sql == '@')
			fputs(client_database(c), out);
		else
			putc(*sql, out);
	if (!out || fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int run(struct client *c, const char *sql, char **answer, size_t *len, struct dusk_error *err)
{
	_cleanup_(freep) char *text = filled(c, sql);

	return text ? client_run(c, text, NULL, NULL, answer, len, err)
		    : error_set(err, -ENOMEM, "cannot ask a server: out of memory");
}

int schema_make(struct client *c, struct dusk_error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(statements) / sizeof(statements[0]); i++)
		rc = run(c, statements[i], NULL, NULL, err);
	return rc;
}

int schema_check(struct client *c, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	size_t len;
	int rc = run(
		c,
		"SELECT count() FROM system.tables WHERE database = '@' AND name IN ('samples', 'counts', 'stacks', "
		"'frames', 'hosts')",
		&answer, &len, err);

	if (!rc && strtoul(answer, NULL, 10) != 5)
		rc = error_set(err, -ENOENT, "there is no store of dusk at %s: dusk store init makes one",
			       client_place(c));
	return rc;
}
