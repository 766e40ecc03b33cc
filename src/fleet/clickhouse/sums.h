/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The table sums: what is in samples by window and labels, without processes and stacks, which is a small part of it. Whatever shows no
 * stacks is read from there.
 *
 * The server makes the rows from each block that comes into samples. A batch is one block, so its rows are made all at once, and are the
 * same if it comes again; as the batch is in their key, they collapse as samples do. A server that is killed in between has samples without
 * sums. Then the sender does not know whether the batch has arrived: it asks, and has the sums made.
 */
#pragma once
#include "fleet/clickhouse/client.h"

/* Have the server make sums, of what comes from now on. The table is there. This and the others return as client_run(). */
int sums_make(struct client *c, struct dusk_error *err);

/* Make those that are not there, of what came before, while other batches may come. */
int sums_fill(struct client *c, struct dusk_error *err);

/* Say that they can be read, after sums_fill() of each server of a cluster. */
int sums_say_filled(struct client *c, struct dusk_error *err);

/* Can they be read? An older dusk has made no such table. */
int sums_are_filled(struct client *c, bool *ret, struct dusk_error *err);

/* Are some missing, of what is read in tables whose names end with @suffix, and was taken more than an hour ago? */
int sums_are_missing(struct client *c, const char *suffix, bool *ret, struct dusk_error *err);

/*
 * The @nr @batches of the day @day (days since 1970), each once, have arrived in samples: make their sums if they are not there. Nothing is
 * done where there is no such table, or by a collector, which does it itself.
 */
int sums_mend(struct client *c, uint32_t day, const uint64_t *batches, size_t nr, struct dusk_error *err);
