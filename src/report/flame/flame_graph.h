/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merge the stacks of profiles into a flame graph.
 *
 *	all > labels > thread's name > [outcome] > user frames > kernel frames > [state]
 *
 * A node stands for all nodes of the profiles with the same path: labels if they are chosen, the thread's name, then function and module of each
 * frame. All unnamed code of a module is one frame named after the module, since addresses mean nothing to a reader.
 * The outcome has a frame only where the reader would be misled without it: below a user stack that is cut (its first
 * frame is not where the program began), and for samples without any frame. The state is that of an off-CPU interval,
 * if the profile has such synthetic frames (filter.h).
 *
 * Profiles are added one after the other, and share nodes, so that two of them can be compared.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "report/model/thread_label.h"

/* These numbers are part of the page's format: viewer/data.js has the same. */
enum flame_kind {
	FLAME_ROOT,
	FLAME_LABEL, /* of threads, if some are chosen */
	FLAME_PROCESS,
	FLAME_NOTE, /* an outcome */
	FLAME_USER,
	FLAME_VDSO,
	FLAME_JIT,
	FLAME_KERNEL,
	FLAME_STATE,  /* the state of an off-CPU interval */
	FLAME_SOURCE, /* code that an interpreter runs */
};

struct flame_label {
	uint32_t name, module; /* numbers of strings */
	enum flame_kind kind;
	uint32_t rank; /* position in by_rank */
};

struct flame_node {
	uint32_t parent, label, depth;
	uint32_t rank; /* position in preorder */
};

/* A source line of a node, and the number of samples whose stacks pass there. */
struct flame_place {
	uint32_t node, file; /* a number of strings */
	uint32_t line;
	uint64_t samples;
};

struct flame_graph {
	struct strings strings;
	struct vec(struct flame_label) labels;
	struct vec(struct flame_node) nodes;   /* 0 is the root; parents come before their children */
	struct vec(struct flame_place) places; /* by node in preorder; of a node, the most frequent first */
	uint32_t *by_rank;		       /* labels in the order of their names */
	uint32_t *preorder;		       /* nodes in preorder, siblings in the order of their names */

	struct map label_of; /* (name, module, kind) -> label */
	struct map child_of; /* (node, label) -> node */
};

/*
 * Add the stacks of @p to @g, which is all-zero before its first profile, below the labels @by. Stores the node of each sample in @node,
 * which has nr_samples elements. Returns 0 or -ENOMEM.
 */
int flame_graph_add(struct flame_graph *g, const struct dusk_profile *p, const struct thread_labels *by,
		    uint32_t *node);

/* Sort everything, after the last profile is added. Returns 0 or -ENOMEM. */
int flame_graph_sort(struct flame_graph *g);

/* Free @g, also if one of these functions has failed. */
void flame_graph_done(struct flame_graph *g);
