/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the off-CPU intervals in which a thread only waits for work. See idle.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/model/idle.h"
#include "report/model/setting.h"

#define IDLE_PERCENT 99

struct idle {
	const struct dusk_profile *profile;
	uint32_t *user_node;  /* by node: itself, or its outermost caller's inner end in user mode; 0: there is none */
	bool *waits_for_lock; /* by node: it, or a caller, is a function that waits for a lock */
	bool *sleeps;	      /* by state */
	struct map place_of;  /* (tid, user node) -> index of slept_ns */
	struct vec(uint64_t) slept_ns;
	struct map life_of; /* tid -> index of life_ns */
	struct vec(uint64_t) life_ns;
	uint64_t duration_ns; /* the life of threads whose own is not known */
};

/* Names of functions, or parts of them: those of POSIX and of common runtimes and programs. */
static bool is_lock(const char *function)
{
	static const char *const parts[] = {"mutex_lock",    "mutex_timedlock",	     "mutex_clocklock",
					    "rwlock_rdlock", "rwlock_wrlock",	     "lll_lock_wait",
					    "futex_lock_pi", "ObjectMonitor::enter", "LWLockAcquire"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(function, parts[i]))
			return true;
	return false;
}

/* One pass is enough: callers have smaller numbers than what they call. */
static int examine_nodes(struct idle *d)
{
	const struct dusk_profile *p = d->profile;

	d->user_node = calloc((size_t)p->nr_nodes + 1, sizeof(*d->user_node));
	d->waits_for_lock = calloc((size_t)p->nr_nodes + 1, sizeof(*d->waits_for_lock));
	if (!d->user_node || !d->waits_for_lock)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		const struct dusk_frame *f = &p->frames[p->nodes[i].frame];
		uint32_t parent = p->nodes[i].parent;

		d->user_node[i] = p->modules[f->module].kind == DUSK_MODULE_KERNEL ? d->user_node[parent] : i;
		d->waits_for_lock[i] = d->waits_for_lock[parent] || is_lock(p->functions[f->function].name);
	}
	return 0;
}

static int find_states(struct idle *d)
{
	uint32_t nr = 0;

	while (dusk_state_name(nr))
		nr++;
	d->sleeps = calloc(nr, sizeof(*d->sleeps));
	if (!d->sleeps)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		d->sleeps[i] = !strcmp(dusk_state_name(i), "sleeping") || !strcmp(dusk_state_name(i), "idle");
	return 0;
}

/* Threads of the profile with the same TID are one: after a change of name. */
static int measure_lives(struct idle *d)
{
	const struct dusk_profile *p = d->profile;

	d->duration_ns = setting_u64(p, "duration_ns");
	if (!d->duration_ns && p->nr_samples)
		d->duration_ns = p->samples[p->nr_samples - 1].time_ns;
	for (uint32_t i = 0; i < p->nr_thread_times; i++) {
		const struct dusk_thread_times *t = &p->thread_times[i];
		bool fresh;
		uint32_t *life = map_at(&d->life_of, (uint32_t)p->threads[t->thread].tid, &fresh);

		if (!life || (fresh && !vec_add(&d->life_ns)))
			return -ENOMEM;
		if (fresh)
			*life = d->life_ns.nr - 1;
		d->life_ns.v[*life] += t->end_ns - t->start_ns;
	}
	return 0;
}

static uint32_t tid_of(const struct idle *d, const struct dusk_sample *s)
{
	return d->profile->threads[s->thread].tid;
}

static uint64_t place_key(const struct idle *d, const struct dusk_sample *s)
{
	return (uint64_t)tid_of(d, s) << 32 | d->user_node[s->node];
}

static int add_sleeps(struct idle *d)
{
	const struct dusk_profile *p = d->profile;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		bool fresh;
		uint32_t *place;

		if (s->source != DUSK_OFF_CPU || !d->sleeps[s->state])
			continue;
		place = map_at(&d->place_of, place_key(d, s), &fresh);
		if (!place || (fresh && !vec_add(&d->slept_ns)))
			return -ENOMEM;
		if (fresh)
			*place = d->slept_ns.nr - 1;
		d->slept_ns.v[*place] += s->value_ns;
	}
	return 0;
}

int idle_new(struct idle **ret, const struct dusk_profile *p)
{
	_cleanup_(idle_freep) struct idle *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->profile = p;
	err = examine_nodes(d) ?: find_states(d) ?: measure_lives(d) ?: add_sleeps(d);
	if (err)
		return err;
	*ret = steal(d);
	return 0;
}

void idle_free(struct idle *d)
{
	if (!d)
		return;
	free(d->user_node);
	free(d->waits_for_lock);
	free(d->sleeps);
	map_done(&d->place_of);
	map_done(&d->life_of);
	vec_done(&d->slept_ns);
	vec_done(&d->life_ns);
	free(d);
}

bool idle_has(const struct idle *d, const struct dusk_sample *s)
{
	const uint32_t *place, *life;
	uint64_t life_ns;

	if (s->source != DUSK_OFF_CPU || !d->sleeps[s->state] || d->waits_for_lock[s->node])
		return false;
	place = map_find(&d->place_of, place_key(d, s));
	life = map_find(&d->life_of, tid_of(d, s));
	life_ns = life ? d->life_ns.v[*life] : d->duration_ns;
	return place && d->slept_ns.v[*place] >= life_ns / 100 * IDLE_PERCENT;
}
