/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the spool to a shard. See shard.h. */
#include "fleet/collect/shard.h"
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "fleet/clickhouse/statement.h"
#include "fleet/clickhouse/sums.h"
#include "lib/error.h"

#define POLL_MS 100
#define MIN_BACKOFF_MS 500
#define MAX_BACKOFF_MS 5000
#define SLOW_S 2 /* a failure that takes longer keeps others waiting */

struct shard {
	struct client *client;
	struct spool *spool;
	struct counts *counts;
	uint32_t number;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	bool stop;
	char failure[sizeof(((struct dusk_error *)0)->text)]; /* of the last INSERT; "": it succeeded */
	bool is_slow;					      /* to fail */
};

/* Wait. Returns false if the thread is to end. */
static bool wait_ms(struct shard *s, unsigned int ms)
{
	struct timespec until;
	bool go_on;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&s->lock);
	while (!s->stop && pthread_cond_clockwait(&s->wake, &s->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
		;
	go_on = !s->stop;
	pthread_mutex_unlock(&s->lock);
	return go_on;
}

/* Note how it went, and say what is new about it. */
static void set_failure(struct shard *s, const char *text, bool is_slow)
{
	bool changed;

	pthread_mutex_lock(&s->lock);
	changed = strcmp(s->failure, text);
	strcpy(s->failure, text);
	s->is_slow = is_slow;
	pthread_mutex_unlock(&s->lock);
	if (changed && *text)
		fprintf(stderr, "dusk: %s\n", text);
	else if (changed)
		fprintf(stderr, "dusk: the shard at %s is there again\n", client_place(s->client));
}

/* Does it fail, or fail slowly if @slow? */
static bool fails(struct shard *s, bool slow, char *ret, size_t room)
{
	bool failing;

	pthread_mutex_lock(&s->lock);
	failing = *s->failure && (s->is_slow || !slow);
	snprintf(ret, room, "%s", s->failure);
	pthread_mutex_unlock(&s->lock);
	return failing;
}

bool shard_is_failing(struct shard *s, char *ret, size_t room)
{
	return fails(s, false, ret, room);
}

bool shard_is_stuck(struct shard *s, char *ret, size_t room)
{
	return fails(s, true, ret, room);
}

/*
 * Has the shard got @i, which may have been sent before? It is asked when that can come no more. Returns 1, 0, or a negative errno: it
 * does not say.
 */
static int is_there(struct shard *s, const struct spool_insert *i, struct dusk_error *err)
{
	_cleanup_(freep) uint64_t *batches = NULL;
	size_t nr = 0;
	int rc = client_end_session(s->client, i->id, err);

	rc = rc ?: statement_ask_arrived(s->client, tables[i->table].name, i->day, i->batch, err);
	if (rc > 0) {
		int failed = spool_batches(s->spool, s->number, &batches, &nr);

		rc = failed ? error_set(err, failed, "cannot read the spool: %s", strerror(-failed))
			    : sums_mend(s->client, i->day, batches, nr, err) ?: rc;
	}
	if (rc >= 0)
		count(rc ? &s->counts->found : &s->counts->sent_again, 1);
	return rc;
}

static int insert(struct shard *s, struct spool_insert *i, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = statement_insert(client_database(s->client), tables[i->table].columns);
	/* Of the other tables rows that are there twice collapse; and a batch of counts may have come with an INSERT before. */
	bool once = i->table == TABLE_SAMPLES;
	char id[40];
	int rc = once && i->maybe ? is_there(s, i, err) : 0;

	if (rc)
		return rc < 0 ? rc : 0;
	if (once && i->maybe && (rc = spool_again(s->spool, s->number, i)))
		return error_set(err, rc, "cannot write the spool: %s", strerror(-rc));
	client_set_session(s->client, once ? i->id : 0);
	snprintf(id, sizeof(id), "dusk-collect-%016" PRIx64, i->id);
	return sql ? client_run_packed(s->client, sql, id, i->data, i->len, err) : -ENOMEM;
}

static void count_insert(struct counts *c, const struct spool_insert *i)
{
	count(&c->inserts[i->table], 1);
	count(&c->inserted_rows[i->table], i->nr_rows);
	count(&c->small_inserts, i->nr_rows < SPOOL_ROWS_ENOUGH);
}

/* Send what is due. Returns 0; -EAGAIN with no text in @err: nothing is; or another error. */
static int send_next(struct shard *s, struct dusk_error *err)
{
	_cleanup_(spool_insert_done) struct spool_insert i = {0};
	int rc = spool_next(s->spool, s->number, &i);

	if (rc == -EAGAIN)
		return rc;
	if (rc)
		return error_set(err, rc, "cannot read the spool: %s", strerror(-rc));
	rc = insert(s, &i, err);
	if (rc) {
		count(&s->counts->failures, 1);
		return error_complete(err, rc, "cannot send to a shard");
	}
	rc = spool_arrived(s->spool, s->number);
	if (rc)
		return error_set(err, rc, "cannot write the spool: %s", strerror(-rc));
	count_insert(s->counts, &i);
	return 0;
}

static void *run(void *ctx)
{
	unsigned int backoff_ms = 0, pause_ms;
	struct shard *s = ctx;

	do {
		struct dusk_error err = {""};
		double began_s = now_s();
		int rc = send_next(s, &err);

		if (*err.text)
			backoff_ms = !backoff_ms		       ? MIN_BACKOFF_MS
				     : backoff_ms < MAX_BACKOFF_MS / 2 ? backoff_ms * 2
								       : MAX_BACKOFF_MS;
		else if (!rc)
			backoff_ms = 0;
		if (*err.text || !rc)
			set_failure(s, err.text, now_s() - began_s > SLOW_S);
		pause_ms = *err.text ? backoff_ms : rc ? POLL_MS : 0;
	} while (wait_ms(s, pause_ms));
	return NULL;
}

int shard_start(struct shard **ret, const char *url, uint32_t number, struct spool *spool, struct counts *counts,
		struct dusk_error *err)
{
	struct shard *s = calloc(1, sizeof(*s));
	int rc = s ? client_new(&s->client, url, err) : -ENOMEM;

	if (!rc) {
		s->spool = spool;
		s->counts = counts;
		s->number = number;
		pthread_mutex_init(&s->lock, NULL);
		pthread_cond_init(&s->wake, NULL);
		rc = -pthread_create(&s->thread, NULL, run, s);
		if (rc)
			client_free(s->client);
	}
	if (rc) {
		free(s);
		return error_complete(err, rc, "cannot start to send");
	}
	*ret = s;
	return 0;
}

void shard_stop(struct shard *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->wake);
	client_free(s->client);
	free(s);
}
