/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables in ClickHouse. The statements are those that 18.16 understands, and newer servers as well, but for what only newer
 * ones can do: codecs, and days that go by themselves.
 *
 * samples	sums by window, process, kind and stack: one row each. kind is on-cpu, or why the thread was off CPU
 * sums		the same by window and labels, without processes and stacks, which the server makes of each block of samples
 * counts	what was taken, lost and spent in each window
 * stacks	the frames of a stack, outermost first. The user part and the kernel part are stacks of their own
 * frames	what a frame is; of rows with the same frame that with the highest rev holds, as names come later
 * hosts	who sends
 *
 * stack and frame are hashes of what they mean, the same on all hosts: they are inserted without asking, and
 * collapse. batch is of one insert into samples, and of what goes with it into counts.
 *
 * In a cluster each server has these, rows are inserted into those of any one, and each server has samples_all, ... besides: the
 * tables of all shards as one, which are read.
 */
#pragma once
#include "fleet/clickhouse/client.h"

struct schema_options {
	const char *cluster;	/* of <remote_servers>, or NULL: one server alone */
	bool replicated;	/* each shard has replicas */
	unsigned int keep_days; /* 0: until they are dropped */
};

/* Can the server at @c be one of @nr servers of the cluster in @o? Returns 0; -EINVAL: no; or as client_run(). */
int schema_may_make(struct client *c, const struct schema_options *o, size_t nr, struct dusk_error *err);

/* Make the database and the tables that are not there. Returns as client_run(); -EOPNOTSUPP: the server is too old for @o. */
int schema_make(struct client *c, const struct schema_options *o, struct dusk_error *err);

/*
 * What names of tables end with where they are read: of one server "", of one in a cluster "_all". Returns as schema_check().
 */
int schema_reads(struct client *c, const char **ret, struct dusk_error *err);

/* Returns 0; -ENOENT: the tables are not there; or as client_run(). */
int schema_check(struct client *c, struct dusk_error *err);

/* Is @sql the question of schema_check()? A collector passes it on. */
bool schema_is_question(const char *sql, const char *database);

/* Run the statement @sql, in which "@" stands for the database. Returns as client_run(). */
int schema_run(struct client *c, const char *sql, char **answer, size_t *answer_len, struct dusk_error *err);
