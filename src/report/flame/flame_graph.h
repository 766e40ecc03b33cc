/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which frames does a flame graph have?
 *
 *	all > thread's name > [outcome] > user frames > kernel frames > [state]
 *
 * A node stands for all nodes of the profiles whose paths read the same: name of the thread, then function and module
 * of each frame. What has no function is one frame named after its module, since its addresses say nothing to a
 * reader. The outcome is a frame of its own only where the reader would be misled without it: below a user stack that
 * was cut (its first frame is not where the program began), and for samples without any frame. The state is that of
 * an off-CPU interval, if the profile's frames are marked with it (filter.h).
 *
 * Profiles are added one after the other, and share nodes: so two of them can be compared.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"

/* These numbers are in the page: viewer/data.js has them, too. */
enum flame_kind {
	FLAME_ROOT,
	FLAME_PROCESS,
	FLAME_NOTE, /* an outcome */
	FLAME_USER,
	FLAME_VDSO,
	FLAME_JIT,
	FLAME_KERNEL,
	FLAME_STATE, /* why a thread was off the CPU */
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

/* A place in the source that belongs to a node, and the samples whose stacks pass there. */
struct flame_place {
	uint32_t node, file; /* a number of strings */
	uint32_t line;
	uint64_t samples;
};

struct flame_graph {
	struct strings strings;
	struct vec(struct flame_label) labels;
	struct vec(struct flame_node) nodes;   /* 0 is the root; parents come before their children */
	struct vec(struct flame_place) places; /* by node in preorder, the most frequent first */
	uint32_t *by_rank;		       /* labels, in the order of their names */
	uint32_t *preorder;		       /* nodes, siblings in the order of their names */

	struct map label_of; /* (name, module, kind) -> label */
	struct map child_of; /* (node, label) -> node */
};

/*
 * Add the stacks of @p to @g, which is all-zero before its first profile. @node gets for each sample its node; it has
 * nr_samples elements. 0 or -ENOMEM.
 */
int flame_graph_add(struct flame_graph *g, const struct dusk_profile *p, uint32_t *node);

/* After the last profile: put everything in order. 0 or -ENOMEM. */
int flame_graph_sort(struct flame_graph *g);

/* Also if one of these has failed. */
void flame_graph_done(struct flame_graph *g);
