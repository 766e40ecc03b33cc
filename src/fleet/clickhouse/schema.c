/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables. See schema.h. */
#include "fleet/clickhouse/schema.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/clickhouse/sums.h"
#include "lib/error.h"

#define MODERN 22   /* what this version and later ones can do is in modern[] */
#define NR_BY_DAY 3 /* tables[] that go by day come first */

static const struct {
	const char *name, *columns;
	const char *newest; /* of rows with the same key that with the greatest value here stays; "": any */
	const char *rest;
} tables[] = {
	{"samples",
	 "ts DateTime, host String, service String, version String, unit String, container String, pod String, "
	 "namespace String, pid UInt32, comm String, kind String, outcome String, ustack UInt64, kstack UInt64, n "
	 "UInt64, "
	 "value UInt64, runnable UInt64, batch UInt64",
	 "",
	 "PARTITION BY toDate(ts) PRIMARY KEY (service, kind, ts, host) ORDER BY (service, kind, ts, host, version, "
	 "unit, "
	 "container, pod, namespace, pid, comm, outcome, ustack, kstack, batch)"},
	{"counts", "ts DateTime, host String, name String, value UInt64, batch UInt64", "",
	 "PARTITION BY toDate(ts) ORDER BY (host, ts, name, batch)"},
	{"sums",
	 "ts DateTime, host String, service String, version String, unit String, container String, pod String, "
	 "namespace String, kind String, outcome String, n UInt64, value UInt64, runnable UInt64, batch UInt64",
	 "",
	 "PARTITION BY toDate(ts) PRIMARY KEY (service, kind, ts, host) ORDER BY (service, kind, ts, host, version, "
	 "unit, container, pod, namespace, outcome, batch)"},
	{"stacks", "stack UInt64, seen DateTime, frames Array(UInt64)", "seen",
	 "ORDER BY stack SETTINGS index_granularity = 256"},
	{"frames",
	 "frame UInt64, rev UInt32, build_id String, module String, off UInt64, is_return UInt8, func String, image "
	 "String, func_off UInt32, file String, line UInt32, inl Nested(func String, file String, line UInt32)",
	 "rev", "ORDER BY frame SETTINGS index_granularity = 256"},
	{"hosts", "host String, seen DateTime, kernel String, machine String, cpus UInt32, dusk String", "seen",
	 "ORDER BY host"},
};

#define NR_TABLES (sizeof(tables) / sizeof(tables[0]))
#define NR_ASKED \
	5 /* what is asked for before anything is sent or read: all but sums, which an older dusk did not make */

/* In each statement "@" stands for the database. */
static const char *const modern[] = {
	"ALTER TABLE @.samples MODIFY COLUMN host LowCardinality(String)",
	"ALTER TABLE @.samples MODIFY COLUMN comm LowCardinality(String)",
	"ALTER TABLE @.samples MODIFY COLUMN n UInt64 CODEC(T64, ZSTD(1))",
	"ALTER TABLE @.samples MODIFY COLUMN value UInt64 CODEC(T64, ZSTD(1))",
	"ALTER TABLE @.samples MODIFY COLUMN runnable UInt64 CODEC(T64, ZSTD(1))",
};

static const char question[] =
	"SELECT countIf(name IN ('samples', 'counts', 'stacks', 'frames', 'hosts')), countIf(name IN "
	"('samples_all', 'counts_all', 'stacks_all', 'frames_all', 'hosts_all')) FROM system.tables WHERE "
	"database = '@'";

/* @sql with @database in place of "@". NULL: memory is short. */
static char *filled(const char *sql, const char *database)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (; out && *sql; sql++)
		if (*sql == '@')
			fputs(database, out);
		else
			putc(*sql, out);
	if (out && fclose(out))
		free(steal(text));
	return text;
}

int schema_run(struct client *c, const char *sql, char **answer, size_t *answer_len, struct dusk_error *err)
{
	_cleanup_(freep) char *text = filled(sql, client_database(c));

	return text ? client_run(c, text, NULL, NULL, answer, answer_len, err)
		    : error_set(err, -ENOMEM, "cannot ask a server: out of memory");
}

static int make_table(struct client *c, size_t i, const struct schema_options *o, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL, *path = NULL;
	const char *newest = tables[i].newest;

	if (asprintf(&path, "'/clickhouse/tables/{shard}/@/%s', '{replica}'%s", tables[i].name, *newest ? ", " : "") <
	    0)
		path = NULL;
	if (!path || asprintf(&sql, "CREATE TABLE IF NOT EXISTS @.%s (%s) ENGINE = %sReplacingMergeTree%s%s%s%s %s",
			      tables[i].name, tables[i].columns, o->replicated ? "Replicated" : "",
			      o->replicated || *newest ? "(" : "", o->replicated ? path : "", newest,
			      o->replicated || *newest ? ")" : "", tables[i].rest) < 0) {
		sql = NULL;
		return error_set(err, -ENOMEM, "cannot make tables: out of memory");
	}
	return schema_run(c, sql, NULL, NULL, err);
}

/* The table of all shards. */
static int make_all(struct client *c, size_t i, const char *cluster, struct dusk_error *err)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "CREATE TABLE IF NOT EXISTS @.%s_all AS @.%s ENGINE = Distributed(%s, @, %s)",
		 tables[i].name, tables[i].name, cluster, tables[i].name);
	return schema_run(c, sql, NULL, NULL, err);
}

static int ask_version(struct client *c, unsigned int *ret, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	size_t len;
	int rc = schema_run(c, "SELECT version()", &answer, &len, err);

	*ret = rc ? 0 : strtoul(answer, NULL, 10);
	return rc;
}

static int keep(struct client *c, unsigned int days, struct dusk_error *err)
{
	char sql[128];
	int rc = 0;

	for (size_t i = 0; !rc && i < NR_BY_DAY; i++) {
		snprintf(sql, sizeof(sql), "ALTER TABLE @.%s MODIFY TTL ts + INTERVAL %u DAY", tables[i].name, days);
		rc = schema_run(c, sql, NULL, NULL, err);
	}
	return rc;
}

int schema_make(struct client *c, const struct schema_options *o, struct dusk_error *err)
{
	unsigned int version;
	int rc = ask_version(c, &version, err);

	if (!rc && o->keep_days && version < MODERN)
		return error_set(
			err, -EOPNOTSUPP,
			"the server at %s is too old to remove days by itself: dusk store drop-before removes them",
			client_place(c));
	rc = rc ?: schema_run(c, "CREATE DATABASE IF NOT EXISTS @", NULL, NULL, err);
	for (size_t i = 0; !rc && i < NR_TABLES; i++)
		rc = make_table(c, i, o, err);
	for (size_t i = 0; !rc && version >= MODERN && i < sizeof(modern) / sizeof(modern[0]); i++)
		rc = schema_run(c, modern[i], NULL, NULL, err);
	if (!rc && o->keep_days)
		rc = keep(c, o->keep_days, err);
	for (size_t i = 0; !rc && o->cluster && i < NR_TABLES; i++)
		rc = make_all(c, i, o->cluster, err);
	return rc ?: sums_make(c, err);
}

int schema_may_make(struct client *c, const struct schema_options *o, size_t nr, struct dusk_error *err)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	_cleanup_(freep) char *answer = NULL;
	unsigned int shards = 0, servers = 0;
	char sql[256];
	size_t len;
	int rc;

	if (!o->cluster)
		return nr > 1 || o->replicated
			       ? error_set(err, -EINVAL, "several servers are a cluster, which has a name")
			       : 0;
	if (!*o->cluster || strlen(o->cluster) > 64 || strspn(o->cluster, word) != strlen(o->cluster))
		return error_set(err, -EINVAL, "the name of a cluster is a word of letters, digits and _");
	snprintf(sql, sizeof(sql), "SELECT uniqExact(shard_num), count() FROM system.clusters WHERE cluster = '%s'",
		 o->cluster);
	rc = schema_run(c, sql, &answer, &len, err);
	if (rc)
		return rc;
	sscanf(answer, "%u %u", &shards, &servers);
	if (!servers)
		return error_set(
			err, -EINVAL,
			"the server at %s knows no cluster %s: <remote_servers> of its configuration names its shards",
			client_place(c), o->cluster);
	if (servers != nr)
		return error_set(err, -EINVAL,
				 "the cluster %s has %u servers, and %zu are named here: name each of them", o->cluster,
				 servers, nr);
	if (servers > shards && !o->replicated)
		return error_set(err, -EINVAL,
				 "the shards of the cluster %s have replicas: --replicated makes tables for them",
				 o->cluster);
	return 0;
}

int schema_reads(struct client *c, const char **ret, struct dusk_error *err)
{
	_cleanup_(freep) char *answer = NULL;
	unsigned int nr = 0, nr_all = 0;
	size_t len;
	int rc = schema_run(c, question, &answer, &len, err);

	if (rc)
		return rc;
	sscanf(answer, "%u %u", &nr, &nr_all);
	if (nr != NR_ASKED)
		return error_set(err, -ENOENT, "there is no store of dusk at %s: dusk store init makes one",
				 client_place(c));
	*ret = nr_all == NR_ASKED ? "_all" : "";
	return 0;
}

bool schema_is_question(const char *sql, const char *database)
{
	_cleanup_(freep) char *text = filled(question, database);

	return text && !strcmp(text, sql);
}

int schema_check(struct client *c, struct dusk_error *err)
{
	const char *unused;

	return schema_reads(c, &unused, err);
}
