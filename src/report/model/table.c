/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sum up samples or time by function, module, process or thread. See table.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "report/model/children.h"
#include "report/model/table.h"
#include "report/model/aggregate.h"

struct adder {
	const struct dusk_profile *profile;
	struct table *table;
	struct vec(struct table_row) rows;
	uint32_t *row_of_label; /* of the current group: row + 1 */
	bool *outer;		/* by node: no caller has the same label */
};

/*
 * Traverse the tree, counting each label on the path from the root. A node whose label is not yet on the path gets the
 * total of its label; recursive calls inside it add nothing.
 */
static int find_outer(struct adder *a)
{
	const struct dusk_profile *p = a->profile;
	const struct labels *l = a->table->labels;
	_cleanup_(children_done) struct children c = {0};
	_cleanup_(freep) uint32_t *on_way = calloc(l->names.nr + 1, sizeof(*on_way));
	uint32_t at;
	int err = children_init(&c, p);

	if (err || !on_way)
		return -ENOMEM;
	for (at = c.first[0]; at;) {
		a->outer[at] = !on_way[place_label(l, at)]++;
		if (c.first[at]) {
			at = c.first[at];
			continue;
		}
		on_way[place_label(l, at)]--;
		while (at && !c.next[at]) {
			at = p->nodes[at].parent;
			if (at)
				on_way[place_label(l, at)]--;
		}
		at = c.next[at];
	}
	for (uint32_t i = p->nr_nodes; i < nr_places(p); i++)
		a->outer[i] = true;
	return 0;
}

static struct table_row *row_at(struct adder *a, uint32_t group, uint32_t label)
{
	uint32_t *row = &a->row_of_label[label];
	struct table_row *fresh;

	if (*row)
		return &a->rows.v[*row - 1];
	fresh = vec_add(&a->rows);
	if (!fresh)
		return NULL;
	*row = a->rows.nr;
	fresh->group = group;
	fresh->label = label;
	return fresh;
}

static int add_frames(struct adder *a, const struct weight *w)
{
	const struct labels *l = a->table->labels;

	for (uint32_t i = 0; i < w->nr; i++) {
		uint32_t at = w->place[i];
		struct table_row *row;

		if (!w->self[at].count && !a->outer[at])
			continue;
		row = row_at(a, w->group, place_label(l, at));
		if (!row)
			return -ENOMEM;
		amount_add(&row->of_self, &w->self[at]);
		if (a->outer[at])
			amount_add(&row->of_total, &w->total[at]);
	}
	for (uint32_t i = 0; i < w->nr; i++)
		a->row_of_label[place_label(l, w->place[i])] = 0;
	return 0;
}

static int add_group(void *ctx, const struct weight *w)
{
	struct adder *a = ctx;
	struct table_row *row;

	memcpy(a->table->selected, w->all, sizeof(a->table->selected));
	if (a->table->labels)
		return add_frames(a, w);
	row = vec_add(&a->rows);
	if (!row)
		return -ENOMEM;
	*row = (struct table_row){.group = w->group, .of_self = w->of_group, .of_total = w->of_group};
	return 0;
}

static int heavier(uint64_t a, uint64_t b)
{
	return (b > a) - (b < a);
}

static int compare_key(const struct table *t, enum key key, const struct table_row *a, const struct table_row *b)
{
	const struct group *ga = &t->groups->v[a->group], *gb = &t->groups->v[b->group];

	switch (key) {
	case KEY_TIME: return (ga->time_ns > gb->time_ns) - (ga->time_ns < gb->time_ns);
	case KEY_SELF: return heavier(a->self, b->self);
	case KEY_TOTAL: return heavier(a->total, b->total);
	case KEY_COUNT: return heavier(a->of_total.count, b->of_total.count);
	case KEY_RUNNABLE: return heavier(a->of_total.runnable_ns, b->of_total.runnable_ns);
	case KEY_AVERAGE: return heavier(average_ns(&a->of_total), average_ns(&b->of_total));
	case KEY_LONGEST: return heavier(a->of_total.longest_ns, b->of_total.longest_ns);
	default: return 0;
	}
}

static int compare(const void *first, const void *second, void *ctx)
{
	const struct table_row *a = first, *b = second;
	const struct table *t = ctx;
	int order = 0;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (t->labels)
		order = label_compare(t->labels, a->label, b->label);
	return order ? order : group_compare(&t->groups->v[a->group], &t->groups->v[b->group]);
}

struct order {
	const struct table *table;
	const enum key *keys;
	size_t nr;
};

/* Rows that are equal by the keys are in the default order. */
static int compare_keys(const void *first, const void *second, void *ctx)
{
	const struct order *o = ctx;
	int order = 0;

	for (size_t i = 0; i < o->nr && !order; i++)
		order = compare_key(o->table, o->keys[i], first, second);
	return order ? order : compare(first, second, (void *)o->table);
}

void table_sort(struct table *t, const enum key *keys, size_t nr)
{
	struct order o = {t, keys, nr};

	if (t->nr)
		qsort_r(t->rows, t->nr, sizeof(*t->rows), compare_keys, &o);
}

static int fill(struct adder *a)
{
	const struct dusk_profile *p = a->profile;
	struct table *t = a->table;
	int err;

	if (t->labels) {
		a->row_of_label = calloc(t->labels->names.nr + 1, sizeof(*a->row_of_label));
		a->outer = calloc((size_t)nr_places(p) + 1, sizeof(*a->outer));
		if (!a->row_of_label || !a->outer)
			return -ENOMEM;
		err = find_outer(a);
		if (err)
			return err;
	}
	err = aggregate(p, t->groups, add_group, a);
	if (err)
		return err;
	t->nr = a->rows.nr;
	t->rows = vec_steal(&a->rows);
	t->all = amount_of_all(t->selected, t->by);
	for (size_t i = 0; i < t->nr; i++) {
		t->rows[i].self = amount_by(&t->rows[i].of_self, t->by);
		t->rows[i].total = amount_by(&t->rows[i].of_total, t->by);
	}
	if (t->nr)
		qsort_r(t->rows, t->nr, sizeof(*t->rows), compare, t);
	return 0;
}

int table_new(struct table **ret, const struct dusk_profile *p, unsigned int keys, enum measure by)
{
	_cleanup_(table_freep) struct table *t = calloc(1, sizeof(*t));
	struct adder a = {.profile = p, .table = t};
	int err;

	if (!t)
		return -ENOMEM;
	t->by = by;
	err = groups_new(&t->groups, p, keys);
	if (!err && keys & KEYS_OF_FRAMES)
		err = labels_new(&t->labels, p,
				 (keys & KEY_FUNCTION ? LABEL_FUNCTION : 0) | (keys & KEY_LINE ? LABEL_LINE : 0));
	if (!err)
		err = fill(&a);
	vec_done(&a.rows);
	free(a.row_of_label);
	free(a.outer);
	if (err)
		return err;
	*ret = steal(t);
	return 0;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	free(t->rows);
	groups_free(t->groups);
	labels_free(t->labels);
	free(t);
}
