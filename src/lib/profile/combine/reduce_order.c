/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Put what stacks are made of in an order in which it takes little room. See reduce.h.
 *
 * Neighbours then have most in common: frames go by their module and offset, functions by their first frame, and nodes by a
 * walk through the tree, in which a node follows its caller, and what has the same caller goes by its frame.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "lib/profile/combine/reduce.h"

/* New numbers of rows; order[i] is the row that gets number i. Row 0, "none", stays. */
struct order {
	uint32_t *order, *number;
};

static void order_done(struct order *o)
{
	free(o->order);
	free(o->number);
}

static int order_init(struct order *o, uint32_t nr)
{
	o->order = calloc(nr + 1UL, sizeof(*o->order));
	o->number = calloc(nr + 1UL, sizeof(*o->number));
	for (uint32_t i = 0; o->order && i < nr; i++)
		o->order[i] = i;
	return o->order && o->number ? 0 : -ENOMEM;
}

static void set_numbers(struct order *o, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		o->number[o->order[i]] = i;
}

/* Put the rows of @p in their new order. */
#define REORDER(p, rows, o)                                                              \
	({                                                                               \
		uint32_t nr_rows = (p)->nr_##rows;                                       \
		__typeof__((p)->rows) fresh = calloc(nr_rows + 1UL, sizeof(*(p)->rows)); \
		for (uint32_t i = 0; fresh && i < nr_rows; i++)                          \
			fresh[i] = (p)->rows[(o)->order[i]];                             \
		if (fresh) {                                                             \
			free((p)->rows);                                                 \
			(p)->rows = fresh;                                               \
		}                                                                        \
		fresh ? 0 : -ENOMEM;                                                     \
	})

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int by_address(const void *a, const void *b, void *profile)
{
	const struct dusk_profile *p = profile;
	const struct dusk_frame *x = &p->frames[*(const uint32_t *)a], *y = &p->frames[*(const uint32_t *)b];

	COMPARE(x->module, y->module);
	COMPARE(x->offset, y->offset);
	COMPARE(x->is_return, y->is_return);
	COMPARE(x->method, y->method);
	return 0;
}

static int order_frames(struct dusk_profile *p)
{
	_cleanup_(order_done) struct order o = {NULL};
	int err = order_init(&o, p->nr_frames);

	if (err || p->nr_frames < 2)
		return err;
	qsort_r(o.order + 1, p->nr_frames - 1, sizeof(*o.order), by_address, p);
	set_numbers(&o, p->nr_frames);
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		p->nodes[i].frame = o.number[p->nodes[i].frame];
	return REORDER(p, frames, &o);
}

/* By the frames, which are in order; those of lines that no frame has go behind. */
static int order_functions(struct dusk_profile *p)
{
	_cleanup_(order_done) struct order o = {NULL};
	int err = order_init(&o, p->nr_functions);
	uint32_t nr = 1;

	if (err)
		return err;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		uint32_t function = p->frames[i].function;

		if (function && !o.number[function])
			o.number[function] = nr++;
	}
	for (uint32_t i = 1; i < p->nr_functions; i++)
		o.number[i] = o.number[i] ?: nr++;
	for (uint32_t i = 1; i < p->nr_functions; i++)
		o.order[o.number[i]] = i;
	for (uint32_t i = 1; i < p->nr_frames; i++)
		p->frames[i].function = o.number[p->frames[i].function];
	for (uint32_t i = 0; i < p->nr_lines; i++)
		p->lines[i].function = o.number[p->lines[i].function];
	return REORDER(p, functions, &o);
}

static int by_parent(const void *a, const void *b, void *profile)
{
	const struct dusk_profile *p = profile;
	const struct dusk_node *x = &p->nodes[*(const uint32_t *)a], *y = &p->nodes[*(const uint32_t *)b];

	COMPARE(x->parent, y->parent);
	COMPARE(x->frame, y->frame);
	return 0;
}

struct walk {
	const struct dusk_profile *p;
	uint32_t *siblings; /* nodes by their parent, then by frame */
	uint32_t *first;    /* by node: where those that it calls begin in @siblings; there is one more */
	struct vec(uint32_t) todo;
};

static int walk_init(struct walk *w)
{
	struct dusk_profile *p = (struct dusk_profile *)w->p;
	uint32_t nr = p->nr_nodes;

	w->siblings = calloc(nr + 1UL, sizeof(*w->siblings));
	w->first = calloc(nr + 2UL, sizeof(*w->first));
	if (!w->siblings || !w->first)
		return -ENOMEM;
	for (uint32_t i = 1; i < nr; i++) {
		w->siblings[i - 1] = i;
		w->first[p->nodes[i].parent + 1]++;
	}
	for (uint32_t i = 0; i < nr; i++)
		w->first[i + 1] += w->first[i];
	qsort_r(w->siblings, nr - 1, sizeof(*w->siblings), by_parent, p);
	return 0;
}

/* The last one is done first. */
static int add_called(struct walk *w, uint32_t node)
{
	int err = 0;

	for (uint32_t i = w->first[node + 1]; i-- > w->first[node] && !err;)
		err = vec_push(&w->todo, w->siblings[i]);
	return err;
}

static int walk(struct walk *w, struct order *o)
{
	int err = walk_init(w) ?: add_called(w, 0);
	uint32_t nr = 1;

	while (!err && w->todo.nr) {
		uint32_t node = w->todo.v[--w->todo.nr];

		o->order[nr++] = node;
		err = add_called(w, node);
	}
	return err;
}

static void renumber_nodes(struct dusk_profile *p, const uint32_t *number)
{
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		p->nodes[i].parent = number[p->nodes[i].parent];
	for (uint64_t i = 0; i < p->nr_samples; i++)
		p->samples[i].node = number[p->samples[i].node];
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		p->occurrences[i].sample.node = number[p->occurrences[i].sample.node];
	for (uint32_t i = 0; i < p->nr_wakers; i++)
		p->wakers[i].node = number[p->wakers[i].node];
}

static int order_nodes(struct dusk_profile *p)
{
	_cleanup_(order_done) struct order o = {NULL};
	struct walk w = {.p = p};
	int err = order_init(&o, p->nr_nodes);

	if (!err && p->nr_nodes > 1)
		err = walk(&w, &o);
	free(w.siblings);
	free(w.first);
	vec_done(&w.todo);
	if (err)
		return err;
	set_numbers(&o, p->nr_nodes);
	err = REORDER(p, nodes, &o);
	if (!err)
		renumber_nodes(p, o.number);
	return err;
}

int reduce_order(struct dusk_profile *p)
{
	return order_frames(p) ?: order_functions(p) ?: order_nodes(p);
}
