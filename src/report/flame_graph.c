/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frames does a flame graph have? See flame_graph.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/flame_graph.h"
#include "report/label.h"

#define NAMES_MAX (1U << 29)	/* so that two numbers of strings and a kind make a key of 64 bits */

static int number_label(struct flame_graph *g, const char *name, const char *module, enum flame_kind kind, uint32_t *ret)
{
	struct flame_label label = {.kind = kind};
	uint32_t *at;
	bool fresh;

	if (strings_number(&g->strings, name, strlen(name), &label.name, NULL) ||
	    strings_number(&g->strings, module, strlen(module), &label.module, NULL) || g->strings.nr > NAMES_MAX)
		return -ENOMEM;
	at = map_at(&g->label_of, (uint64_t)label.name << 32 | label.module << 3 | kind, &fresh);
	if (!at)
		return -ENOMEM;
	if (fresh) {
		*at = g->labels.nr;
		if (vec_push(&g->labels, label))
			return -ENOMEM;
	}
	*ret = *at;
	return 0;
}

static int child(struct flame_graph *g, uint32_t parent, uint32_t label, uint32_t *ret)
{
	bool fresh;
	uint32_t *at = map_at(&g->child_of, (uint64_t)parent << 32 | label, &fresh);

	if (!at)
		return -ENOMEM;
	if (fresh) {
		struct flame_node n = {.parent = parent, .label = label, .depth = g->nodes.v[parent].depth + 1};

		*at = g->nodes.nr;
		if (vec_push(&g->nodes, n))
			return -ENOMEM;
	}
	*ret = *at;
	return 0;
}

static enum flame_kind kind_of_module(const struct dusk_module *m)
{
	switch (m->kind) {
	case DUSK_MODULE_VDSO: return FLAME_VDSO;
	case DUSK_MODULE_ANON: return FLAME_JIT;
	case DUSK_MODULE_KERNEL: return FLAME_KERNEL;
	default: return FLAME_USER;
	}
}

/* "[libfoo.so.1]" stands for all of libfoo.so.1 that has no names; "[kernel]" has its brackets already. */
static int label_module_itself(struct flame_graph *g, const char *module, enum flame_kind kind, uint32_t *ret)
{
	_cleanup_(freep) char *name = NULL;

	if (asprintf(&name, *module == '[' ? "%s" : "[%s]", *module ? module : "unknown") < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return number_label(g, name, module, kind, ret);
}

static int label_frame(struct flame_graph *g, uint32_t frame, uint32_t *ret)
{
	const struct dusk_profile *p = g->profile;
	const struct dusk_frame *f = &p->frames[frame];
	const struct dusk_function *function = &p->functions[f->function];
	enum flame_kind kind = kind_of_module(&p->modules[f->module]);
	const char *module;

	if (!f->function)
		return label_module_itself(g, module_name(p, f->module), kind, ret);
	module = *function->module ? function->module : module_name(p, f->module);
	return number_label(g, function->name, module, kind, ret);
}

/* The node of @node when its stack stands on @base. */
static int place(struct flame_graph *g, uint32_t base, uint32_t node, uint32_t *ret)
{
	struct vec(uint32_t) path = {0};	/* from @node outwards, up to the first that has its place */
	uint32_t at = base, label, *known;
	int err = 0;
	bool fresh;

	for (; node && !err; node = g->profile->nodes[node].parent) {
		known = map_find(&g->place_of, (uint64_t)base << 32 | node);
		if (known) {
			at = *known;
			break;
		}
		err = vec_push(&path, node);
	}
	while (path.nr && !err) {
		node = path.v[--path.nr];
		err = label_frame(g, g->profile->nodes[node].frame, &label);
		err = err ? err : child(g, at, label, &at);
		known = err ? NULL : map_at(&g->place_of, (uint64_t)base << 32 | node, &fresh);
		if (known)
			*known = at;
		else
			err = -ENOMEM;
	}
	vec_done(&path);
	if (!err)
		*ret = at;
	return err;
}

static int note(struct flame_graph *g, const char *what, const struct dusk_outcome *o, uint32_t parent, uint32_t *ret)
{
	_cleanup_(freep) char *name = NULL;
	uint32_t label;

	if (asprintf(&name, "[%s: %s]", what, o->name) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return number_label(g, name, "", FLAME_NOTE, &label) ? -ENOMEM : child(g, parent, label, ret);
}

static int add_samples(struct flame_graph *g)
{
	const struct dusk_profile *p = g->profile;
	_cleanup_(freep) uint32_t *process = calloc(p->nr_threads + 1, sizeof(*process));	/* by thread */
	uint32_t label, at;
	int err;

	if (!process)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		err = number_label(g, p->threads[i].comm, "", FLAME_PROCESS, &process[i]);
		if (err)
			return err;
	}
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const struct dusk_outcome *o = &p->outcomes[s->outcome];

		label = process[s->thread];
		err = child(g, 0, label, &at);
		if (!err && o->kind == DUSK_CUT)
			err = note(g, "cut", o, at, &at);
		else if (!err && !s->node)
			err = note(g, "no stack", o, at, &at);
		if (!err)
			err = place(g, at, s->node, &at);
		if (err)
			return err;
		g->nodes.v[at].self++;
	}
	return 0;
}

static int compare_labels(const void *a, const void *b, void *ctx)
{
	const struct flame_graph *g = ctx;
	const struct flame_label *x = &g->labels.v[*(const uint32_t *)a], *y = &g->labels.v[*(const uint32_t *)b];
	int order = strcmp(strings_text(&g->strings, x->name), strings_text(&g->strings, y->name));

	if (!order)
		order = strcmp(strings_text(&g->strings, x->module), strings_text(&g->strings, y->module));
	return order ? order : (int)x->kind - (int)y->kind;
}

static int sort_labels(struct flame_graph *g)
{
	g->by_rank = calloc(g->labels.nr, sizeof(*g->by_rank));
	if (!g->by_rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->labels.nr; i++)
		g->by_rank[i] = i;
	qsort_r(g->by_rank, g->labels.nr, sizeof(*g->by_rank), compare_labels, g);
	for (uint32_t i = 0; i < g->labels.nr; i++)
		g->labels.v[g->by_rank[i]].rank = i;
	return 0;
}

static int compare_siblings(const void *a, const void *b, void *ctx)
{
	const struct flame_graph *g = ctx;
	const struct flame_node *x = &g->nodes.v[*(const uint32_t *)a], *y = &g->nodes.v[*(const uint32_t *)b];
	uint32_t x_rank = g->labels.v[x->label].rank, y_rank = g->labels.v[y->label].rank;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x_rank < y_rank ? -1 : x_rank > y_rank;
}

static int sort_nodes(struct flame_graph *g)
{
	uint32_t nr = g->nodes.nr, nr_todo = 1;
	_cleanup_(freep) uint32_t *child = calloc(nr, sizeof(*child));	/* all but the root, by parent, then by name */
	_cleanup_(freep) uint32_t *first = calloc(nr + 1, sizeof(*first)); /* in child[], by parent; the end: first[i + 1] */
	_cleanup_(freep) uint32_t *todo = calloc(nr, sizeof(*todo));	/* the root, and then each node once */

	g->preorder = calloc(nr, sizeof(*g->preorder));
	if (!child || !first || !todo || !g->preorder)
		return -ENOMEM;
	for (uint32_t i = 1; i < nr; i++) {
		child[i - 1] = i;
		first[g->nodes.v[i].parent + 1]++;
	}
	for (uint32_t i = 0; i < nr; i++)
		first[i + 1] += first[i];
	qsort_r(child, nr - 1, sizeof(*child), compare_siblings, g);
	for (uint32_t done = 0; nr_todo; done++) {
		uint32_t i = todo[--nr_todo];

		g->preorder[done] = i;
		for (uint32_t k = first[i + 1]; k > first[i]; k--)
			todo[nr_todo++] = child[k - 1];
	}
	return 0;
}

int flame_graph_init(struct flame_graph *g, const struct dusk_profile *p)
{
	uint32_t root;
	int err;

	g->profile = p;
	err = number_label(g, "all", "", FLAME_ROOT, &root);
	if (!err)
		err = vec_push(&g->nodes, (struct flame_node){.label = root});
	if (!err)
		err = add_samples(g);
	if (!err)
		err = sort_labels(g);
	return err ? err : sort_nodes(g);
}

void flame_graph_done(struct flame_graph *g)
{
	strings_done(&g->strings);
	vec_done(&g->labels);
	vec_done(&g->nodes);
	map_done(&g->label_of);
	map_done(&g->child_of);
	map_done(&g->place_of);
	free(g->by_rank);
	free(g->preorder);
	*g = (struct flame_graph){0};
}
