/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Merge the stacks of profiles into a flame graph. See flame_graph.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/flame/flame_graph.h"
#include "report/model/label.h"

#define NAMES_MAX (1U << 28) /* so that two numbers of strings and a kind make a key of 64 bits */
#define PLACES_MAX 4	     /* places kept for a node */

/* A node of the profile and its node in the graph, for one base that its stack stands on. */
struct placement {
	uint32_t parent;      /* 0: none */
	uint32_t node, frame; /* of the graph; of the profile */
	uint64_t samples;     /* whose stacks pass here */
};

/* A profile that is being added to the graph. */
struct adder {
	struct flame_graph *g;
	const struct dusk_profile *p;
	const struct thread_labels *by;
	uint32_t *label_of_frame, *base_of;	 /* + 1; 0: not known yet; base_of: the node of each thread */
	uint32_t note_of[UINT8_MAX + 1];	 /* label of each outcome, likewise */
	struct map placed;			 /* (base node of the graph, node of the profile) -> placement */
	struct vec(struct placement) placements; /* parents come before their children; 0 is none */
};

static void adder_done(struct adder *a)
{
	free(a->label_of_frame);
	free(a->base_of);
	map_done(&a->placed);
	vec_done(&a->placements);
}

static int number_label(struct flame_graph *g, const char *name, const char *module, enum flame_kind kind,
			uint32_t *ret)
{
	struct flame_label label = {.kind = kind};
	uint32_t *at;
	bool fresh;

	if (strings_number(&g->strings, name, strlen(name), &label.name, NULL) ||
	    strings_number(&g->strings, module, strlen(module), &label.module, NULL) || g->strings.nr > NAMES_MAX)
		return -ENOMEM;
	at = map_at(&g->label_of, (uint64_t)label.name << 32 | label.module << 4 | kind, &fresh);
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
	case DUSK_MODULE_SOURCE: return FLAME_SOURCE;
	default: return FLAME_USER;
	}
}

/* "[libfoo.so.1]" stands for all unnamed code of libfoo.so.1; "[kernel]" already has its brackets. */
static int label_module_itself(struct flame_graph *g, const char *module, enum flame_kind kind, uint32_t *ret)
{
	_cleanup_(freep) char *name = NULL;

	if (asprintf(&name, *module == '[' ? "%s" : "[%s]", *module ? module : "unknown") < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return number_label(g, name, module, kind, ret);
}

static int label_frame(struct adder *a, uint32_t frame, uint32_t *ret)
{
	const struct dusk_profile *p = a->p;
	const struct dusk_frame *f = &p->frames[frame];
	const struct dusk_function *function = &p->functions[f->function];
	enum flame_kind kind = f->function && !f->module ? FLAME_STATE : kind_of_module(&p->modules[f->module]);
	const char *module;
	int err;

	if (a->label_of_frame[frame]) {
		*ret = a->label_of_frame[frame] - 1;
		return 0;
	}
	module = *function->module ? function->module : module_name(p, f->module);
	err = f->function ? number_label(a->g, function->name, module, kind, ret)
			  : label_module_itself(a->g, module_name(p, f->module), kind, ret);
	if (!err)
		a->label_of_frame[frame] = *ret + 1;
	return err;
}

/* Place @node on the placement @parent, or on the graph's node @base if @parent is 0. */
static int place_one(struct adder *a, uint32_t base, uint32_t parent, uint32_t node, uint32_t *ret)
{
	struct placement at = {.parent = parent, .frame = a->p->nodes[node].frame};
	uint32_t label, *known;
	bool fresh;
	int err;

	err = label_frame(a, at.frame, &label);
	if (!err)
		err = child(a->g, parent ? a->placements.v[parent].node : base, label, &at.node);
	known = err ? NULL : map_at(&a->placed, (uint64_t)base << 32 | node, &fresh);
	if (!known)
		return -ENOMEM;
	*ret = *known = a->placements.nr;
	return vec_push(&a->placements, at);
}

/* Find or add the placement of @node and its callers on the graph's node @base. That of node 0 is 0. */
static int place(struct adder *a, uint32_t base, uint32_t node, uint32_t *ret)
{
	struct vec(uint32_t) path = {0}; /* from @node outwards to the first node that is placed already, exclusive */
	uint32_t at = 0, *known;
	int err = 0;

	for (; node && !err; node = a->p->nodes[node].parent) {
		known = map_find(&a->placed, (uint64_t)base << 32 | node);
		if (known) {
			at = *known;
			break;
		}
		err = vec_push(&path, node);
	}
	while (path.nr && !err)
		err = place_one(a, base, at, path.v[--path.nr], &at);
	vec_done(&path);
	if (!err)
		*ret = at;
	return err;
}

/* A stack of an outcome is cut, or missing: a node below @parent says so. */
static int note(struct adder *a, uint8_t outcome, uint32_t parent, uint32_t *ret)
{
	_cleanup_(freep) char *name = NULL;
	const struct dusk_outcome *o = &a->p->outcomes[outcome];
	uint32_t *label = &a->note_of[outcome];

	if (!*label) {
		if (asprintf(&name, "[%s: %s]", o->kind == DUSK_CUT ? "cut" : "no stack", o->name) < 0) {
			name = NULL;
			return -ENOMEM;
		}
		if (number_label(a->g, name, "", FLAME_NOTE, label))
			return -ENOMEM;
		++*label;
	}
	return child(a->g, parent, *label - 1, ret);
}

/* Find or add the node of @t, below those of its labels. */
static int thread_node(struct adder *a, const struct dusk_thread *t, uint32_t *ret)
{
	char none[32];
	int err = 0;

	*ret = 0;
	for (size_t i = 0; i <= a->by->nr && !err; i++) {
		const char *name = i < a->by->nr ? thread_label(a->p, t, a->by->v[i]) : t->comm;
		uint32_t label;

		if (i < a->by->nr && !*name) {
			snprintf(none, sizeof(none), "[no %s]", thread_label_name(a->by->v[i]));
			name = none;
		}
		err = number_label(a->g, name, "", i < a->by->nr ? FLAME_LABEL : FLAME_PROCESS, &label)
			      ?: child(a->g, *ret, label, ret);
	}
	return err;
}

/* The node of @thread is the same for all of its samples. */
static int base_of(struct adder *a, uint32_t thread, uint32_t *ret)
{
	int err = a->base_of[thread] ? 0 : thread_node(a, &a->p->threads[thread], ret);

	if (err)
		return err;
	if (!a->base_of[thread])
		a->base_of[thread] = *ret + 1;
	*ret = a->base_of[thread] - 1;
	return 0;
}

static int add_sample(struct adder *a, const struct dusk_sample *s, uint32_t *ret)
{
	uint32_t base, at;
	int err = base_of(a, s->thread, &base);

	if (!err && (a->p->outcomes[s->outcome].kind == DUSK_CUT || !s->node))
		err = note(a, s->outcome, base, &base);
	if (!err)
		err = place(a, base, s->node, &at);
	if (err)
		return err;
	a->placements.v[at].samples++;
	*ret = at ? a->placements.v[at].node : base;
	return 0;
}

static int add_places(struct adder *a)
{
	for (size_t i = a->placements.nr; i-- > 1;) {
		const struct placement *at = &a->placements.v[i];
		const struct dusk_line *l = frame_line(a->p, &a->p->frames[at->frame]);
		struct flame_place where = {.node = at->node, .line = l->line, .samples = at->samples};

		a->placements.v[at->parent].samples += at->samples;
		if (!*l->file || !l->line)
			continue;
		if (strings_number(&a->g->strings, l->file, strlen(l->file), &where.file, NULL) ||
		    vec_push(&a->g->places, where))
			return -ENOMEM;
	}
	return 0;
}

int flame_graph_add(struct flame_graph *g, const struct dusk_profile *p, const struct thread_labels *by, uint32_t *node)
{
	_cleanup_(adder_done) struct adder a = {.g = g, .p = p, .by = by};
	uint32_t root;
	int err = 0;

	a.label_of_frame = calloc(p->nr_frames + 1, sizeof(*a.label_of_frame));
	a.base_of = calloc(p->nr_threads + 1, sizeof(*a.base_of));
	if (!a.label_of_frame || !a.base_of || !vec_add(&a.placements))
		return -ENOMEM;
	if (!g->nodes.nr)
		err = number_label(g, "all", "", FLAME_ROOT, &root)
			      ? -ENOMEM
			      : vec_push(&g->nodes, (struct flame_node){.label = root});
	for (uint64_t i = 0; i < p->nr_samples && !err; i++)
		err = add_sample(&a, &p->samples[i], &node[i]);
	return err ? err : add_places(&a);
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
	_cleanup_(freep) uint32_t *kids = calloc(nr, sizeof(*kids)); /* all but the root, by parent, then by name */
	_cleanup_(freep) uint32_t *first =
		calloc(nr + 1, sizeof(*first));			     /* in kids[], by parent; the end: first[i + 1] */
	_cleanup_(freep) uint32_t *todo = calloc(nr, sizeof(*todo)); /* stack of nodes to visit; begins with the root */

	g->preorder = calloc(nr, sizeof(*g->preorder));
	if (!kids || !first || !todo || !g->preorder)
		return -ENOMEM;
	for (uint32_t i = 1; i < nr; i++) {
		kids[i - 1] = i;
		first[g->nodes.v[i].parent + 1]++;
	}
	for (uint32_t i = 0; i < nr; i++)
		first[i + 1] += first[i];
	qsort_r(kids, nr - 1, sizeof(*kids), compare_siblings, g);
	for (uint32_t done = 0; nr_todo; done++) {
		uint32_t i = todo[--nr_todo];

		g->preorder[done] = i;
		g->nodes.v[i].rank = done;
		for (uint32_t k = first[i + 1]; k > first[i]; k--)
			todo[nr_todo++] = kids[k - 1];
	}
	return 0;
}

static int compare_places(const void *a, const void *b, void *ctx)
{
	const struct flame_graph *g = ctx;
	const struct flame_place *x = a, *y = b;
	uint32_t x_rank = g->nodes.v[x->node].rank, y_rank = g->nodes.v[y->node].rank;

	if (x_rank != y_rank)
		return x_rank < y_rank ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int compare_frequency(const void *a, const void *b)
{
	const struct flame_place *x = a, *y = b;

	return x->samples > y->samples ? -1 : x->samples < y->samples;
}

static void sort_places(struct flame_graph *g)
{
	struct flame_place *v = g->places.v;
	size_t nr = g->places.nr, kept = 0;

	if (nr)
		qsort_r(v, nr, sizeof(*v), compare_places, g);
	for (size_t i = 0, end; i < nr; i = end) {
		size_t first = kept;

		for (end = i; end < nr && v[end].node == v[i].node; end++) {
			if (kept > first && v[kept - 1].file == v[end].file && v[kept - 1].line == v[end].line)
				v[kept - 1].samples += v[end].samples;
			else
				v[kept++] = v[end];
		}
		qsort(v + first, kept - first, sizeof(*v), compare_frequency);
		if (kept - first > PLACES_MAX)
			kept = first + PLACES_MAX;
	}
	g->places.nr = kept;
}

int flame_graph_sort(struct flame_graph *g)
{
	int err = sort_labels(g);

	if (!err)
		err = sort_nodes(g);
	if (!err)
		sort_places(g);
	return err;
}

void flame_graph_done(struct flame_graph *g)
{
	strings_done(&g->strings);
	vec_done(&g->labels);
	vec_done(&g->nodes);
	vec_done(&g->places);
	map_done(&g->label_of);
	map_done(&g->child_of);
	free(g->by_rank);
	free(g->preorder);
	*g = (struct flame_graph){0};
}
