/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a server's store has, and how much of it stays. */
#pragma once
#include "fleet/clickhouse/client.h"

/*
 * Print when each host of the last week has last sent, how many rows it has, and the size of the tables, of all shards. *@ago_s: since
 * the last of all; UINT64_MAX: nothing ever was. Returns as client_run().
 */
int status_print(struct client *c, uint64_t *ago_s, struct dusk_error *err);

/* Only @ago_s, from a table with a row for each host. */
int status_newest(struct client *c, uint64_t *ago_s, struct dusk_error *err);

/*
 * Remove the days before @day, "2026-11-21", of this server, and print them. Stacks and frames stay, as later days may refer to them.
 * Returns 0; -EINVAL: it is no day; or as client_run().
 */
int drop_before(struct client *c, const char *day, struct dusk_error *err);

/* Is there nothing of a day before @day, on any shard? Returns 0; -EEXIST: there is; or as client_run(). */
int drop_check(struct client *c, const char *day, struct dusk_error *err);
