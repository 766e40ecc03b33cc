/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Select the samples of a view, and group threads into rows. See group.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strings.h"
#include "report/model/group.h"
#include "report/model/label.h"

static bool listed(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(name, list[i]))
			return true;
	return !nr;
}

static bool thread_selected(const struct dusk_thread *t, const struct selection *s)
{
	bool wanted = !s->nr_pid;

	for (size_t i = 0; i < s->nr_pid; i++)
		wanted |= t->pid == s->pid[i];
	return wanted && listed(t->comm, s->comm, s->nr_comm);
}

/* A function of a kernel module has the module's name itself; otherwise the name is that of the frame's module. */
static bool frame_selected(const struct dusk_profile *p, uint32_t frame, const struct selection *s)
{
	const struct dusk_frame *f = &p->frames[frame];

	return (f->function && listed(p->functions[f->function].module, s->dso, s->nr_dso)) ||
	       listed(module_name(p, f->module), s->dso, s->nr_dso) ||
	       (f->module && listed(p->modules[f->module].path, s->dso, s->nr_dso));
}

/*
 * Does the synthetic part of an off-CPU stack begin at @frame (synthetic.h)? It is selected if the real frame below is.
 */
static bool frame_is_synthetic(const struct dusk_profile *p, uint32_t frame)
{
	const struct dusk_frame *f = &p->frames[frame];

	return f->function && !f->module && !*p->functions[f->function].module;
}

static int select_places(struct groups *g, const struct dusk_profile *p, const struct selection *s)
{
	_cleanup_(freep) bool *with_synthetic = calloc((size_t)p->nr_nodes + 1, sizeof(*with_synthetic));

	if (!s->nr_dso)
		return 0;
	g->place_selected = calloc(nr_places(p) + 1, sizeof(*g->place_selected));
	if (!g->place_selected || !with_synthetic)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t frame = p->nodes[i].frame, parent = p->nodes[i].parent;

		with_synthetic[i] = with_synthetic[parent] || frame_is_synthetic(p, frame);
		g->place_selected[i] = with_synthetic[i] ? g->place_selected[parent] : frame_selected(p, frame, s);
	}
	return 0;
}

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

static int group_threads(struct groups *g, const struct dusk_profile *p, unsigned int keys, const struct selection *s,
			 struct strings *known)
{
	int err = 0;

	for (uint32_t i = 0; i < p->nr_threads && !err; i++) {
		bool wanted = thread_selected(&p->threads[i], s);

		for (uint32_t state = 0; state < g->nr_states && !err; state++) {
			uint32_t *of = &g->of[(size_t)i * g->nr_states + state];

			*of = NOT_SELECTED;
			if (wanted && (!s->nr_state || listed(state_name(state), s->state, s->nr_state)))
				err = group_thread(g, &p->threads[i], state, keys, known, of);
		}
	}
	return err;
}

static uint32_t nr_states(void)
{
	uint32_t nr = 0;

	while (state_name(nr))
		nr++;
	return nr;
}

int groups_new(struct groups **ret, const struct dusk_profile *p, unsigned int keys, const struct selection *s)
{
	_cleanup_(groups_freep) struct groups *g = calloc(1, sizeof(*g));
	struct strings known = {0};
	int err;

	if (!g)
		return -ENOMEM;
	g->nr_states = keys & KEY_STATE || s->nr_state ? nr_states() : 1;
	g->v = calloc((size_t)p->nr_threads * g->nr_states + 1, sizeof(*g->v));
	g->of = calloc((size_t)p->nr_threads * g->nr_states + 1, sizeof(*g->of));
	if (!g->v || !g->of)
		return -ENOMEM;
	err = group_threads(g, p, keys, s, &known);
	strings_done(&known);
	if (!err)
		err = select_places(g, p, s);
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
	free(g->place_selected);
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
