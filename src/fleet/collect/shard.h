/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread for each shard, which sends it what the spool has for it, one INSERT after the other. */
#pragma once
#include "fleet/clickhouse/client.h"
#include "fleet/collect/counts.h"
#include "fleet/collect/spool.h"

struct shard;

/* Begin to send to the shard at @url, which is number @number in the spool. Returns 0 or a negative errno, with a text in @err. */
int shard_start(struct shard **ret, const char *url, uint32_t number, struct spool *spool, struct counts *counts,
		struct dusk_error *err);

/* Wait for the answer to an INSERT that is under way, and end. */
void shard_stop(struct shard *s);

/* Is it so that the last INSERT failed? Then "why" is copied to @ret, of @room bytes. */
bool shard_is_failing(struct shard *s, char *ret, size_t room);

/* ... and took its time for that, as a question would, too? */
bool shard_is_stuck(struct shard *s, char *ret, size_t room);
