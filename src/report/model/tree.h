/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who called whom, for how many samples, or how much time?
 *
 * Top-down, a node's children are the functions that it called; bottom-up, the first level are the functions in which
 * samples were taken, and a node's children are its callers. Nodes whose functions have the same label are one. The
 * roots are groups of tasks: one for all, if the keys have none.
 */
#pragma once
#include "report/model/group.h"
#include "report/model/label.h"
#include "report/model/aggregate.h"

enum tree_direction { TREE_DOWN, TREE_UP };

struct tree_node {
	uint32_t label;	      /* of roots: the group */
	uint32_t first, nr;   /* children: nodes[first .. first + nr - 1], the heaviest first */
	uint64_t total, self; /* by the tree's measure; self: of what ends here */
};

struct tree {
	struct tree_node *nodes;
	uint32_t nr;
	uint32_t *roots, nr_roots; /* the heaviest first */
	enum measure by;
	uint64_t all;		   /* what was selected, by the measure */
	struct amount selected[2]; /* the same in full, by source */
	struct groups *groups;
	struct labels *labels;
};

struct tree_options {
	enum tree_direction direction;
	unsigned int keys;    /* enum key: of tasks; those of frames mean nothing here */
	double percent_limit; /* leave out what has less of what was selected, and all below it */
	const struct selection *selection;
	enum measure by;
};

/* *@ret is to be freed with tree_free() before @p is. 0 or -ENOMEM. */
int tree_new(struct tree **ret, const struct dusk_profile *p, const struct tree_options *o);
void tree_free(struct tree *t);

static inline void tree_freep(struct tree **t)
{
	tree_free(*t);
}

struct tree_step {
	const struct tree_node *node;
	uint32_t depth; /* 0: a root */
	bool last;	/* of its siblings */
	bool alone;	/* it has no siblings */
};

/* Visit each node, parents before children. Anything but 0 that @visit returns stops, and is returned. -ENOMEM. */
int tree_walk(const struct tree *t, int (*visit)(void *ctx, const struct tree_step *step), void *ctx);
