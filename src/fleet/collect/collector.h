/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a collector is: a spool, that which fills it, and that which empties it. */
#pragma once
#include <stdint.h>
#include "fleet/collect/counts.h"
#include "fleet/collect/peers.h"
#include "fleet/collect/shard.h"
#include "fleet/collect/spool.h"
#include "fleet/collect/worker.h"

#define SHARDS_MAX 64
#define CONNECTIONS_MAX 8192

struct collector_options {
	const char *spool;  /* a folder */
	const char *listen; /* "127.0.0.1:8124", "[::1]:0" */
	uint64_t spool_bytes, wait_ms;
	const char *password;	 /* of agents; "": anybody may post */
	const char *const *urls; /* of the shards */
	uint32_t nr_shards;
};

struct collector {
	const struct collector_options *o;
	struct spool *spool;
	struct counts counts;
	struct shard *shards[SHARDS_MAX];
	struct client *asking[SHARDS_MAX]; /* only ask.c uses them */
	struct worker *checker, *committer, *asker;
	struct peers peers;
};

/* The name of the database, which is that of each shard. */
const char *collector_database(const struct collector *c);

/* Open the spool, and start to empty it. Returns 0 or a negative errno, with a text in @err; collector_done() in any case. */
int collector_init(struct collector *c, const struct collector_options *o, struct dusk_error *err);
void collector_done(struct collector *c);
