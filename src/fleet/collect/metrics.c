/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How it goes. See metrics.h. */
#include "fleet/collect/metrics.h"
#include "base/prometheus.h"

#define LATE_S 60 /* a post that has waited as long */

static const char *const refusals[NR_REFUSALS] = {
	[REFUSED_PASSWORD] = "password", [REFUSED_STATEMENT] = "statement",  [REFUSED_ROWS] = "rows",
	[REFUSED_SIZE] = "size",	 [REFUSED_MEMORY] = "memory",	     [REFUSED_FULL] = "spool-full",
	[REFUSED_DISK] = "spool-disk",	 [REFUSED_UNKNOWN] = "shard-silent", [REFUSED_LATE] = "late",
};

/* A line for each table. */
static void by_table(FILE *out, const char *name, const char *help, const atomic_ulong *counters)
{
	prometheus_head(out, name, "counter", help);
	for (size_t i = 0; i < NR_TABLES; i++)
		fprintf(out, "%s{table=\"%s\"} %lu\n", name, tables[i].name, atomic_load(&counters[i]));
}

static void write_intake(FILE *out, const struct counts *k)
{
	by_table(out, "dusk_collect_posts_total", "posts of agents that were acknowledged", k->posts);
	by_table(out, "dusk_collect_rows_total", "rows in them", k->rows);
	prometheus_counter(out, "dusk_collect_bytes_total", "their size, packed", k->bytes);
	prometheus_counter(out, "dusk_collect_commits_total", "transactions that have put them into the spool",
			   k->commits);
	prometheus_counter(out, "dusk_collect_again_total", "posts that came again, and were not stored twice",
			   k->again);
	prometheus_head(out, "dusk_collect_refused_total", "counter",
			"posts that were refused: the agent keeps what was in them");
	for (size_t i = 0; i < NR_REFUSALS; i++)
		fprintf(out, "dusk_collect_refused_total{why=\"%s\"} %lu\n", refusals[i], atomic_load(&k->refused[i]));
}

static void write_sent(FILE *out, const struct counts *k)
{
	by_table(out, "dusk_collect_inserts_total", "INSERTs that a shard has acknowledged", k->inserts);
	by_table(out, "dusk_collect_inserted_rows_total", "rows in them", k->inserted_rows);
	prometheus_counter(out, "dusk_collect_small_inserts_total", "those of fewer than 10,000 rows",
			   k->small_inserts);
	prometheus_counter(out, "dusk_collect_failures_total", "INSERTs that failed, and were tried again",
			   k->failures);
	prometheus_counter(out, "dusk_collect_found_total", "INSERTs that had arrived although they seemed to fail",
			   k->found);
	prometheus_counter(out, "dusk_collect_sent_again_total", "INSERTs that had not arrived", k->sent_again);
}

unsigned int metrics_write(FILE *out, struct collector *c)
{
	struct spool_state s;
	char why[256];

	spool_look(c->spool, &s);
	write_intake(out, &c->counts);
	write_sent(out, &c->counts);
	prometheus_gauge(out, "dusk_collect_spool_max_bytes", "the size of the spool", s.max_bytes);
	prometheus_gauge(out, "dusk_collect_spool_used_bytes", "what of it is used", s.used_bytes);
	prometheus_gauge(out, "dusk_collect_spool_posts", "posts that a shard does not have yet", s.nr_posts);
	prometheus_gauge(out, "dusk_collect_spool_rows", "rows in them", s.nr_rows);
	prometheus_gauge(out, "dusk_collect_spool_oldest_seconds", "how long the oldest of them has waited",
			 s.oldest_s);
	prometheus_head(out, "dusk_collect_shard_up", "gauge", "0: the last INSERT failed");
	for (uint32_t i = 0; i < c->o->nr_shards; i++)
		fprintf(out, "dusk_collect_shard_up{shard=\"%s\"} %d\n", client_place(c->asking[i]),
			!shard_is_failing(c->shards[i], why, sizeof(why)));
	return 200;
}

unsigned int metrics_health(FILE *out, struct collector *c)
{
	struct spool_state s;
	char why[256];

	for (uint32_t i = 0; i < c->o->nr_shards; i++)
		if (shard_is_failing(c->shards[i], why, sizeof(why))) {
			fprintf(out, "%s\n", why);
			return 503;
		}
	spool_look(c->spool, &s);
	if (s.oldest_s > LATE_S) {
		fprintf(out, "a post has waited for %.0f seconds\n", s.oldest_s);
		return 503;
	}
	fputs("ok\n", out);
	return 200;
}
