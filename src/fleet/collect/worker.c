/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread for jobs. See worker.h. */
#include "fleet/collect/worker.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "base/cleanup.h"

struct worker {
	void (*work)(void *ctx, struct job *first);
	void *ctx;
	unsigned int gather_ms;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct job *first, **last;
	bool end;
};

/* What has been given until now; NULL: the worker is to end. */
static struct job *take(struct worker *w)
{
	struct job *first;

	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->end)
		pthread_cond_wait(&w->wake, &w->lock);
	if (w->gather_ms && !w->end) {
		pthread_mutex_unlock(&w->lock);
		nanosleep(&(struct timespec){.tv_nsec = w->gather_ms * 1000000L}, NULL);
		pthread_mutex_lock(&w->lock);
	}
	first = steal(w->first);
	w->last = &w->first;
	pthread_mutex_unlock(&w->lock);
	return first;
}

static void *run(void *ctx)
{
	struct worker *w = ctx;
	struct job *first;

	while ((first = take(w)))
		w->work(w->ctx, first);
	return NULL;
}

int worker_start(struct worker **ret, void (*work)(void *ctx, struct job *first), void *ctx, unsigned int gather_ms)
{
	struct worker *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->work = work;
	w->ctx = ctx;
	w->gather_ms = gather_ms;
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	err = -pthread_create(&w->thread, NULL, run, w);
	if (err)
		free(w);
	else
		*ret = w;
	return err;
}

bool worker_give(struct worker *w, struct job *j)
{
	bool given;

	pthread_mutex_lock(&w->lock);
	given = !w->end;
	if (given) {
		j->next = NULL;
		*w->last = j;
		w->last = &j->next;
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
	return given;
}

void worker_end(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->end = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
}

void worker_free(struct worker *w)
{
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->wake);
	free(w);
}
