/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that read profiles. See read_ahead.h. */
#include "cli/view/read_ahead.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "base/cleanup.h"

#define THREADS_MAX 16

struct slot {
	struct dusk_profile *profile;
	struct dusk_error err;
	int rc;
	bool done;
};

struct read_ahead {
	const char *const *paths;
	size_t nr;
	pthread_t thread[THREADS_MAX];
	int nr_threads;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	size_t next, handed_out; /* paths that are being read or were, and those whose profiles the caller has */
	struct slot *slot;	 /* by path */
};

/* At most one more than there are threads waits to be handed out. */
static bool may_read(const struct read_ahead *r)
{
	return r->next < r->nr && r->next <= r->handed_out + r->nr_threads;
}

static void *read_some(void *ctx)
{
	struct read_ahead *r = ctx;

	pthread_mutex_lock(&r->lock);
	while (r->next < r->nr) {
		if (!may_read(r)) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		size_t i = r->next++;
		struct slot *s = &r->slot[i];

		pthread_mutex_unlock(&r->lock);
		s->rc = dusk_profile_read(&s->profile, r->paths[i], &s->err);
		pthread_mutex_lock(&r->lock);
		s->done = true;
		pthread_cond_broadcast(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static int nr_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

int read_ahead_new(struct read_ahead **ret, const char *const *paths, size_t nr)
{
	_cleanup_(read_ahead_freep) struct read_ahead *r = calloc(1, sizeof(*r));
	int wanted = nr_cpus() < THREADS_MAX ? nr_cpus() : THREADS_MAX;

	if (!r)
		return -ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->paths = paths;
	r->nr = nr;
	r->slot = calloc(nr + 1, sizeof(*r->slot));
	if (!r->slot)
		return -ENOMEM;
	pthread_mutex_lock(&r->lock);
	while (r->nr_threads < wanted && (size_t)r->nr_threads < nr &&
	       !pthread_create(&r->thread[r->nr_threads], NULL, read_some, r))
		r->nr_threads++;
	pthread_mutex_unlock(&r->lock);
	if (nr && !r->nr_threads)
		return -ENOMEM;
	*ret = steal(r);
	return 0;
}

int read_ahead_next(struct read_ahead *r, struct dusk_profile **ret, struct dusk_error *err)
{
	struct slot *s = &r->slot[r->handed_out];

	pthread_mutex_lock(&r->lock);
	while (!s->done)
		pthread_cond_wait(&r->changed, &r->lock);
	r->handed_out++;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	*err = s->err;
	*ret = steal(s->profile);
	return s->rc;
}

void read_ahead_free(struct read_ahead *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->next = r->nr;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	for (int i = 0; i < r->nr_threads; i++)
		pthread_join(r->thread[i], NULL);
	for (size_t i = 0; r->slot && i < r->nr; i++)
		dusk_profile_free(r->slot[i].profile);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r->slot);
	free(r);
}
