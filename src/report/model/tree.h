/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call trees, weighted by samples or time.
 *
 * Top-down, a node's children are the functions that it called. Bottom-up, the first level are the functions in which
 * samples were taken, and a node's children are its callers. Siblings with the same label are merged. The roots are
 * groups of tasks: a single one if there are no keys of tasks.
 *
 * A function that calls itself can be one node (fold), and the weight of a stack can be that of its innermost real frame
 * instead of the synthetic part that a view has added to it (real_self, synthetic.h). With neither, each node where a
 * stack ends has its weight, and the stacks can be made from the tree.
 */
#pragma once
#include "report/model/group.h"
#include "report/model/label.h"
#include "report/model/aggregate.h"

enum tree_direction { TREE_DOWN, TREE_UP };

struct tree_node {
	uint32_t label;	      /* of roots: the group */
	uint32_t first, nr;   /* children: nodes[first .. first + nr - 1], the heaviest first */
	uint64_t total, self; /* by the tree's measure; self: of stacks that end here */
	bool recursive;	      /* stands for several calls in a row */
};

struct tree {
	struct tree_node *nodes;
	uint32_t nr;
	uint32_t *roots, nr_roots; /* the heaviest first */
	enum measure by;
	uint64_t all;		   /* the sum of all, by the measure */
	struct amount selected[2]; /* all sums of the same, by source */
	struct groups *groups;
	struct labels *labels;
};

struct tree_options {
	enum tree_direction direction;
	unsigned int keys;    /* enum key: keys of tasks; others are ignored */
	double percent_limit; /* leave out nodes with a smaller share of all, and their subtrees */
	enum measure by;
	bool fold, real_self;
};

/* Build the tree of @p. Free *@ret with tree_free() before @p. Returns 0 or -ENOMEM. */
int tree_new(struct tree **ret, const struct dusk_profile *p, const struct tree_options *o);
void tree_free(struct tree *t);

static inline void tree_freep(struct tree **t)
{
	tree_free(*t);
}

struct tree_step {
	const struct tree_node *node;
	uint32_t depth; /* 0: a root */
	bool last;	/* the last of its siblings */
	bool alone;	/* without siblings */
};

/* Visit each node, parents before children, until @visit returns nonzero. Returns 0, that value, or -ENOMEM. */
int tree_walk(const struct tree *t, int (*visit)(void *ctx, const struct tree_step *step), void *ctx);
