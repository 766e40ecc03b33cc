/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Group threads into rows. See group.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strings.h"
#include "report/model/group.h"

/* Find or add the group of thread @t in @state. @state is ignored without KEY_STATE. */
static int group_thread(struct groups *g, const struct dusk_thread *t, uint32_t state, unsigned int keys,
			struct strings *known, uint32_t *ret)
{
	struct {
		pid_t pid, tid;
		uint32_t state;
		char comm[64];
	} key = {keys & KEY_PID ? t->pid : -1, keys & KEY_TID ? t->tid : -1, keys & KEY_STATE ? state : 0, ""};
	bool fresh;
	int err;

	if (keys & KEY_COMM)
		strncpy(key.comm, t->comm, sizeof(key.comm) - 1);
	err = strings_number(known, &key, sizeof(key), ret, &fresh);
	if (!err && fresh)
		g->v[g->nr++] = (struct group){
			keys & KEY_COMM ? t->comm : NULL,
			key.pid,
			key.tid,
			keys & KEY_STATE ? state_name(state) : NULL,
		};
	return err;
}

static int group_threads(struct groups *g, const struct dusk_profile *p, unsigned int keys, struct strings *known)
{
	int err = 0;

	for (uint32_t i = 0; i < p->nr_threads && !err; i++)
		for (uint32_t state = 0; state < g->nr_states && !err; state++)
			err = group_thread(g, &p->threads[i], state, keys, known,
					   &g->of[(size_t)i * g->nr_states + state]);
	return err;
}

static uint32_t nr_states(void)
{
	uint32_t nr = 0;

	while (state_name(nr))
		nr++;
	return nr;
}

int groups_new(struct groups **ret, const struct dusk_profile *p, unsigned int keys)
{
	_cleanup_(groups_freep) struct groups *g = calloc(1, sizeof(*g));
	struct strings known = {0};
	int err;

	if (!g)
		return -ENOMEM;
	g->nr_states = keys & KEY_STATE ? nr_states() : 1;
	g->v = calloc((size_t)p->nr_threads * g->nr_states + 1, sizeof(*g->v));
	g->of = calloc((size_t)p->nr_threads * g->nr_states + 1, sizeof(*g->of));
	if (!g->v || !g->of)
		return -ENOMEM;
	err = group_threads(g, p, keys, &known);
	strings_done(&known);
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

	if (order)
		return order;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->state && b->state ? strcmp(a->state, b->state) : 0;
}
