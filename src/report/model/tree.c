/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Build and walk call trees. See tree.h.
 *
 * A node under construction is a slice of entries: the places of the profile that it stands for, and their weights. Its
 * children are all places one step further, sorted by label and cut where the label changes. Entries are a stack: the
 * last child is expanded first, and entries above its slice are then garbage. There is no recursion, since stacks can
 * have any depth.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "report/model/children.h"
#include "report/model/synthetic.h"
#include "report/model/tree.h"
#include "report/model/aggregate.h"

struct entry {
	uint32_t place, label;
	uint64_t weight;
};

struct slice {
	uint32_t node;	   /* of the tree */
	size_t begin, end; /* entries */
};

struct builder {
	const struct dusk_profile *profile;
	const struct tree_options *options;
	struct tree *tree;
	struct children children;
	uint64_t least;	 /* the smallest weight of a node that is kept */
	bool *synthetic; /* by node of the profile; NULL: all are real */
	uint64_t *self;	 /* by place, of the current group: the weight of stacks that end here */
	struct vec(struct tree_node) nodes;
	struct vec(uint32_t) roots;
	struct vec(struct entry) entries;
	struct vec(struct entry) again; /* calls of the current node's function by itself */
	struct vec(struct slice) todo;
};

static int push(struct builder *b, uint32_t place, uint64_t weight)
{
	struct entry e = {place, place_label(b->tree->labels, place), weight};

	return weight ? vec_push(&b->entries, e) : 0;
}

/* The same for a place one step further from @from. */
static int push_next(struct builder *b, const struct entry *from, uint32_t place, uint64_t weight)
{
	struct entry e = {place, place_label(b->tree->labels, place), weight};

	if (b->options->fold && e.label == from->label)
		return weight ? vec_push(&b->again, e) : 0;
	return push(b, place, weight);
}

static int by_label(const void *first, const void *second)
{
	const struct entry *a = first, *b = second;

	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* Make the children of @node from the entries at @begin and after, one for each label that is heavy enough. */
static int cut(struct builder *b, uint32_t node, size_t begin)
{
	size_t end = b->entries.nr, kept = begin;

	b->nodes.v[node].first = b->nodes.nr;
	if (end > begin)
		qsort(&b->entries.v[begin], end - begin, sizeof(struct entry), by_label);
	for (size_t i = begin, next; i < end; i = next) {
		struct tree_node child = {.label = b->entries.v[i].label};
		struct slice slice = {b->nodes.nr, kept, 0};

		for (next = i; next < end && b->entries.v[next].label == child.label; next++)
			child.total += b->entries.v[next].weight;
		if (child.total < b->least)
			continue;
		for (size_t from = i; from < next; from++)
			b->entries.v[kept++] = b->entries.v[from];
		slice.end = kept;
		if (vec_push(&b->nodes, child) || vec_push(&b->todo, slice))
			return -ENOMEM;
		b->nodes.v[node].nr++;
	}
	b->entries.nr = kept;
	return 0;
}

/* Push the places one step further from @e: its caller, or the functions it called. */
static int step_once(struct builder *b, const struct weight *w, struct entry e, uint64_t *self)
{
	const struct dusk_profile *p = b->profile;
	uint32_t parent = place_parent(p, e.place);
	int err = 0;

	if (b->options->direction == TREE_UP) {
		if (parent)
			return push_next(b, &e, parent, e.weight);
		*self += e.weight;
		return 0;
	}
	*self += b->self[e.place];
	if (e.place >= p->nr_nodes)
		return 0;
	for (uint32_t at = b->children.first[e.place]; at && !err; at = b->children.next[at])
		err = push_next(b, &e, at, amount_by(&w->total[at], b->options->by));
	return err;
}

static int step(struct builder *b, const struct weight *w, struct entry e, uint64_t *self, bool *recursive)
{
	int err = step_once(b, w, e, self);

	while (!err && b->again.nr) {
		*recursive = true;
		err = step_once(b, w, b->again.v[--b->again.nr], self);
	}
	return err;
}

static int expand(struct builder *b, const struct weight *w)
{
	struct slice s = b->todo.v[--b->todo.nr];
	uint64_t self = 0;
	bool recursive = false;

	b->entries.nr = s.end;
	for (size_t i = s.begin; i < s.end; i++) {
		int err = step(b, w, b->entries.v[i], &self, &recursive);

		if (err)
			return err;
	}
	b->nodes.v[s.node].self = self;
	b->nodes.v[s.node].recursive = recursive;
	return cut(b, s.node, s.end);
}

/* The limit, rounded up to a whole number. */
static uint64_t least_weight(uint64_t all, double percent_limit)
{
	double exact = all * percent_limit / 100;
	uint64_t least = exact;

	return least + (least < exact);
}

/* Callees come before their callers, so that what a synthetic part weighs arrives at the real frame below it. */
static void weigh_ends(struct builder *b, const struct weight *w)
{
	for (uint32_t i = 0; i < w->nr; i++)
		b->self[w->place[i]] = amount_by(&w->self[w->place[i]], b->options->by);
	for (uint32_t i = 0; i < w->nr && b->synthetic; i++) {
		uint32_t at = w->place[i], parent = place_parent(b->profile, at);

		if (parent && b->synthetic[at]) {
			b->self[parent] += b->self[at];
			b->self[at] = 0;
		}
	}
}

static int add_root(void *ctx, const struct weight *w)
{
	struct builder *b = ctx;
	const struct dusk_profile *p = b->profile;
	enum measure by = b->options->by;
	struct tree_node root = {.label = w->group, .total = amount_by(&w->of_group, by)};
	bool up = b->options->direction == TREE_UP;
	int err = 0;

	memcpy(b->tree->selected, w->all, sizeof(b->tree->selected));
	b->tree->all = amount_of_all(w->all, by);
	b->least = least_weight(b->tree->all, b->options->percent_limit);
	b->entries.nr = 0;
	weigh_ends(b, w);
	if (root.total < b->least)
		return 0;
	if (vec_push(&b->roots, (uint32_t)b->nodes.nr) || vec_push(&b->nodes, root))
		return -ENOMEM;
	for (uint32_t i = 0; i < w->nr && !err; i++) {
		uint32_t at = w->place[i];

		if (up)
			err = push(b, at, amount_by(&w->self[at], by));
		else if (!place_parent(p, at))
			err = push(b, at, amount_by(&w->total[at], by));
	}
	if (!err)
		err = cut(b, b->nodes.nr - 1, 0);
	while (!err && b->todo.nr)
		err = expand(b, w);
	return err;
}

static int heavier(const void *first, const void *second, void *ctx)
{
	const struct tree_node *a = first, *b = second;
	const struct tree *t = ctx;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return label_compare(t->labels, a->label, b->label);
}

static int heavier_root(const void *first, const void *second, void *ctx)
{
	const struct tree *t = ctx;
	const struct tree_node *a = &t->nodes[*(const uint32_t *)first], *b = &t->nodes[*(const uint32_t *)second];

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return group_compare(&t->groups->v[a->label], &t->groups->v[b->label]);
}

static void sort(struct tree *t)
{
	if (t->nr_roots)
		qsort_r(t->roots, t->nr_roots, sizeof(*t->roots), heavier_root, t);
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->nodes[i].nr > 1)
			qsort_r(&t->nodes[t->nodes[i].first], t->nodes[i].nr, sizeof(*t->nodes), heavier, t);
}

static int build(struct builder *b)
{
	struct tree *t = b->tree;
	int err = labels_new(&t->labels, b->profile, LABEL_FUNCTION);

	t->by = b->options->by;
	b->self = calloc((size_t)nr_places(b->profile) + 1, sizeof(*b->self));
	if (b->options->real_self)
		b->synthetic = synthetic_nodes(b->profile);
	if (!err && (!b->self || (b->options->real_self && !b->synthetic)))
		err = -ENOMEM;
	if (!err)
		err = groups_new(&t->groups, b->profile, b->options->keys);
	if (!err && b->options->direction == TREE_DOWN)
		err = children_init(&b->children, b->profile);
	if (!err)
		err = aggregate(b->profile, t->groups, add_root, b);
	if (err)
		return err;
	t->nr = b->nodes.nr;
	t->nodes = vec_steal(&b->nodes);
	t->nr_roots = b->roots.nr;
	t->roots = vec_steal(&b->roots);
	sort(t);
	return 0;
}

int tree_new(struct tree **ret, const struct dusk_profile *p, const struct tree_options *o)
{
	_cleanup_(tree_freep) struct tree *t = calloc(1, sizeof(*t));
	struct builder b = {.profile = p, .options = o, .tree = t};
	int err;

	if (!t)
		return -ENOMEM;
	err = build(&b);
	children_done(&b.children);
	vec_done(&b.nodes);
	vec_done(&b.roots);
	vec_done(&b.entries);
	vec_done(&b.again);
	free(b.synthetic);
	free(b.self);
	vec_done(&b.todo);
	if (err)
		return err;
	*ret = steal(t);
	return 0;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	free(t->nodes);
	free(t->roots);
	groups_free(t->groups);
	labels_free(t->labels);
	free(t);
}

struct walker {
	struct vec(struct tree_step) todo;
};

static int add_children(struct walker *w, const struct tree *t, const struct tree_step *of)
{
	for (uint32_t i = of->node->nr; i-- > 0;) {
		struct tree_step s = {
			.node = &t->nodes[of->node->first + i],
			.depth = of->depth + 1,
			.last = i == of->node->nr - 1,
			.alone = of->node->nr == 1,
		};

		if (vec_push(&w->todo, s))
			return -ENOMEM;
	}
	return 0;
}

int tree_walk(const struct tree *t, int (*visit)(void *ctx, const struct tree_step *step), void *ctx)
{
	struct walker w = {0};
	int err = 0;

	for (uint32_t i = 0; i < t->nr_roots && !err; i++) {
		struct tree_step root = {&t->nodes[t->roots[i]], 0, i == t->nr_roots - 1, t->nr_roots == 1};

		err = vec_push(&w.todo, root);
		while (!err && w.todo.nr) {
			struct tree_step s = w.todo.v[--w.todo.nr];

			err = visit(ctx, &s);
			if (!err)
				err = add_children(&w, t, &s);
		}
	}
	vec_done(&w.todo);
	return err;
}
