/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which frames does a flame graph have?
 *
 *	all > process > [outcome] > user frames > kernel frames
 *
 * A node stands for all nodes of the profile whose paths read the same: name of the process, then function and module
 * of each frame. What has no function is one frame named after its module, since its addresses say nothing to a reader.
 * The outcome is a frame of its own only where the reader would be misled without it: below a user stack that was cut
 * (its first frame is not where the program began), and for samples without any frame.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"

/* These numbers are in the page: viewer_tree.js has them, too. */
enum flame_kind {
	FLAME_ROOT,
	FLAME_PROCESS,
	FLAME_NOTE,	/* an outcome */
	FLAME_USER,
	FLAME_VDSO,
	FLAME_JIT,
	FLAME_KERNEL,
};

struct flame_label {
	uint32_t name, module;	/* numbers of strings */
	enum flame_kind kind;
	uint32_t rank;		/* position in by_rank */
};

struct flame_node {
	uint32_t parent, label, depth;
	uint64_t self;		/* samples that end here */
};

struct flame_graph {
	const struct dusk_profile *profile;
	struct strings strings;
	struct vec(struct flame_label) labels;
	struct vec(struct flame_node) nodes;	/* 0 is the root; parents come before their children */
	uint32_t *by_rank;			/* labels, in the order of their names */
	uint32_t *preorder;			/* nodes, siblings in the order of their names */

	struct map label_of;			/* (name, module, kind) -> label */
	struct map child_of;			/* (node, label) -> node */
	struct map place_of;			/* (node that a stack stands on, node of the profile) -> node */
};

/* All-zero is a graph that was not made. 0 or -ENOMEM; to be freed with flame_graph_done() in either case. */
int flame_graph_init(struct flame_graph *g, const struct dusk_profile *p);
void flame_graph_done(struct flame_graph *g);
