/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Begin and end. See collector.h. */
#include "fleet/collect/collector.h"
#include <errno.h>
#include <string.h>
#include "fleet/collect/request.h"
#include "lib/error.h"

#define GATHER_MS 10		  /* posts that come at once are one transaction */
#define BODIES_MAX (128ULL << 20) /* of all posts that are under way: a fourth of it is a post of any size */

const char *collector_database(const struct collector *c)
{
	return client_database(c->asking[0]);
}

/* The shards' places. The statements of agents name one database, which all of them have. */
static int find_shards(struct collector *c, const char **places, struct dusk_error *err)
{
	for (uint32_t i = 0; i < c->o->nr_shards; i++) {
		int rc = client_new(&c->asking[i], c->o->urls[i], err);

		if (rc)
			return rc;
		places[i] = client_place(c->asking[i]);
		if (strcmp(client_database(c->asking[i]), collector_database(c)))
			return error_set(err, -EINVAL, "all shards must have the same database: one has %s, another %s",
					 collector_database(c), client_database(c->asking[i]));
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(places[k], places[i]))
				return error_set(err, -EINVAL, "the shard at %s is given twice", places[i]);
	}
	return 0;
}

int collector_init(struct collector *c, const struct collector_options *o, struct dusk_error *err)
{
	const char *places[SHARDS_MAX];
	int rc;

	memset(c, 0, sizeof(*c));
	c->o = o;
	c->peers = (struct peers){
		.lock = PTHREAD_MUTEX_INITIALIZER, .max_connections = CONNECTIONS_MAX, .max_bytes = BODIES_MAX};
	rc = find_shards(c, places, err);
	rc = rc ?: spool_open(&c->spool, o->spool, places, o->nr_shards, o->spool_bytes, o->wait_ms, err);
	for (uint32_t i = 0; !rc && i < o->nr_shards; i++)
		rc = shard_start(&c->shards[i], o->urls[i], i, c->spool, &c->counts, err);
	rc = rc ?: worker_start(&c->checker, request_check, c, 0);
	rc = rc ?: worker_start(&c->committer, request_commit, c, GATHER_MS);
	rc = rc ?: worker_start(&c->asker, request_ask, c, 0);
	return error_complete(err, rc, "cannot start a collector");
}

void collector_done(struct collector *c)
{
	for (uint32_t i = 0; i < SHARDS_MAX; i++) {
		shard_stop(c->shards[i]);
		client_free(c->asking[i]);
	}
	spool_free(c->spool);
}
