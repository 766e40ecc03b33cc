/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Group samples into rows. See group.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strings.h"
#include "base/vec.h"
#include "report/model/group.h"

struct grouping {
	const struct dusk_profile *p;
	unsigned int keys;
	struct strings known, labels;
};

/* The identity of a group. There is no padding: it is hashed and compared as bytes. */
struct group_key {
	pid_t pid, tid;
	uint32_t state;
	uint32_t label[NR_THREAD_LABELS];
	char comm[64];
};

static int add_label(struct grouping *how, const struct dusk_thread *t, enum thread_label which, struct group_key *key,
		     struct group *ret)
{
	ret->label[which] = thread_label(how->p, t, which);
	return strings_number(&how->labels, ret->label[which], strlen(ret->label[which]), &key->label[which], NULL);
}

/* Find or add the group of thread @t in @state. @state is ignored without KEY_STATE. */
static int group_thread(struct groups *g, struct grouping *how, const struct dusk_thread *t, uint32_t state,
			uint32_t *ret)
{
	struct group_key key = {
		.pid = how->keys & KEY_PID ? t->pid : -1,
		.tid = how->keys & KEY_TID ? t->tid : -1,
		.state = how->keys & KEY_STATE ? state : 0,
	};
	struct group is = {
		.comm = how->keys & KEY_COMM ? t->comm : NULL,
		.pid = key.pid,
		.tid = key.tid,
		.state = how->keys & KEY_STATE ? state_name(state) : NULL,
	};
	bool fresh;
	int err = 0;

	if (is.comm)
		strncpy(key.comm, t->comm, sizeof(key.comm) - 1);
	for (enum thread_label i = 0; i < NR_THREAD_LABELS && !err; i++)
		if (how->keys & key_of_label(i))
			err = add_label(how, t, i, &key, &is);
	err = err ?: strings_number(&how->known, &key, sizeof(key), ret, &fresh);
	if (!err && fresh)
		g->v[g->nr++] = is;
	return err;
}

static int group_threads(struct groups *g, struct grouping *how)
{
	const struct dusk_profile *p = how->p;
	int err = 0;

	for (uint32_t i = 0; i < p->nr_threads && !err; i++)
		for (uint32_t state = 0; state < g->nr_states && !err; state++)
			err = group_thread(g, how, &p->threads[i], state, &g->of[(size_t)i * g->nr_states + state]);
	return err;
}

static uint32_t nr_states(void)
{
	uint32_t nr = 0;

	while (state_name(nr))
		nr++;
	return nr;
}

/* The groups of threads are divided by time: from now on those of samples. */
static int divide(struct groups *g, const struct dusk_profile *p)
{
	_cleanup_(freep) uint32_t *of = calloc(p->nr_samples + 1, sizeof(*of));
	_cleanup_(strings_done) struct strings known = {0};
	struct vec(struct group) v = {0};
	int err = of ? 0 : -ENOMEM;

	g->time = time_buckets_of(p);
	for (uint64_t i = 0; i < p->nr_samples && !err; i++) {
		struct {
			uint64_t time_ns, group;
		} key = {time_bucket(&g->time, &p->samples[i]), group_of(g, &p->samples[i])};
		bool fresh = false;

		err = strings_number(&known, &key, sizeof(key), &of[i], &fresh);
		if (!fresh)
			continue;
		err = vec_push(&v, g->v[key.group]);
		if (!err)
			v.v[v.nr - 1].time_ns = key.time_ns;
	}
	if (err) {
		vec_done(&v);
		return err;
	}
	free(g->v);
	free(g->of);
	g->nr = v.nr;
	g->v = vec_steal(&v);
	g->of = steal(of);
	g->samples = p->samples;
	return 0;
}

int groups_new(struct groups **ret, const struct dusk_profile *p, unsigned int keys)
{
	_cleanup_(groups_freep) struct groups *g = calloc(1, sizeof(*g));
	struct grouping how = {.p = p, .keys = keys};
	int err;

	if (!g)
		return -ENOMEM;
	g->nr_states = keys & KEY_STATE ? nr_states() : 1;
	g->v = calloc((size_t)p->nr_threads * g->nr_states + 1, sizeof(*g->v));
	g->of = calloc((size_t)p->nr_threads * g->nr_states + 1, sizeof(*g->of));
	if (!g->v || !g->of)
		return -ENOMEM;
	err = group_threads(g, &how);
	strings_done(&how.known);
	strings_done(&how.labels);
	if (!err && keys & KEY_TIME)
		err = divide(g, p);
	if (err)
		return err;
	*ret = steal(g);
	return 0;
}

void groups_free(struct groups *g)
{
	if (!g)
		return;
	free(g->v);
	free(g->of);
	free(g);
}

int group_compare(const struct group *a, const struct group *b)
{
	int order = a->comm && b->comm ? strcmp(a->comm, b->comm) : 0;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (order)
		return order;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	order = a->state && b->state ? strcmp(a->state, b->state) : 0;
	for (enum thread_label i = 0; i < NR_THREAD_LABELS && !order; i++)
		order = a->label[i] && b->label[i] ? strcmp(a->label[i], b->label[i]) : 0;
	return order;
}
