/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Convert inlined functions to frames, as if they had been called.
 *
 * A frame with several lines becomes several frames: itself, for the function that contains the code, and new ones,
 * behind all others, for the functions inlined there. Nodes follow: the node of each new frame is a child of its
 * caller's. So views need not handle several functions at one place in the code.
 */
#include <errno.h>
#include <stdlib.h>

#include <dusk/dusk.h>

#include "base/cleanup.h"
#include "base/vec.h"

struct unfolder {
	const struct dusk_profile *p;
	struct vec(struct dusk_frame) frames;
	struct vec(struct dusk_node) nodes;
	uint32_t *inner; /* by frame: its first new frame, for the outermost inlined function; 0: none */
	uint32_t *place; /* by old node: the new node of its innermost function */
};

/* Add the frames of the functions inlined at @f, from the outermost to the innermost. */
static int add_inlined(struct unfolder *u, const struct dusk_frame *f)
{
	for (uint32_t i = f->nr_lines - 1; i-- > 0;) {
		struct dusk_frame inlined = *f;

		inlined.function = u->p->lines[f->first_line + i].function;
		inlined.function_offset = 0;
		inlined.is_inlined = true;
		inlined.method = DUSK_BY_NOTHING;
		inlined.first_line = f->first_line + i;
		inlined.nr_lines = 1;
		if (vec_push(&u->frames, inlined))
			return -ENOMEM;
	}
	return 0;
}

static int unfold_frames(struct unfolder *u)
{
	const struct dusk_profile *p = u->p;
	uint64_t all = p->nr_frames;

	for (uint32_t i = 0; i < p->nr_frames; i++) {
		struct dusk_frame f = p->frames[i];

		if (f.nr_lines > 1) {
			u->inner[i] = all;
			all += f.nr_lines - 1;
			f.first_line += f.nr_lines - 1;
			f.nr_lines = 1;
		}
		if (all > UINT32_MAX || vec_push(&u->frames, f))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < p->nr_frames; i++)
		if (u->inner[i] && add_inlined(u, &p->frames[i]))
			return -ENOMEM;
	return 0;
}

static int add_node(struct unfolder *u, uint32_t *at, uint32_t frame)
{
	if (u->nodes.nr == UINT32_MAX || vec_push(&u->nodes, ((struct dusk_node){*at, frame})))
		return -ENOMEM;
	*at = u->nodes.nr - 1;
	return 0;
}

static int unfold_nodes(struct unfolder *u)
{
	const struct dusk_profile *p = u->p;

	if (p->nr_nodes && !vec_add(&u->nodes))
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t frame = p->nodes[i].frame, at = u->place[p->nodes[i].parent];

		if (add_node(u, &at, frame))
			return -ENOMEM;
		for (uint32_t k = 0; u->inner[frame] && k + 1 < p->frames[frame].nr_lines; k++)
			if (add_node(u, &at, u->inner[frame] + k))
				return -ENOMEM;
		u->place[i] = at;
	}
	return 0;
}

static void take_over(struct unfolder *u, struct dusk_profile *p)
{
	for (uint64_t i = 0; i < p->nr_samples; i++)
		p->samples[i].node = u->place[p->samples[i].node];
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		p->occurrences[i].sample.node = u->place[p->occurrences[i].sample.node];
	for (uint32_t i = 0; i < p->nr_wakers; i++)
		p->wakers[i].node = u->place[p->wakers[i].node];
	free(p->frames);
	free(p->nodes);
	p->nr_frames = u->frames.nr;
	p->frames = vec_steal(&u->frames);
	p->nr_nodes = u->nodes.nr;
	p->nodes = vec_steal(&u->nodes);
}

int dusk_profile_unfold(struct dusk_profile *p)
{
	_cleanup_(freep) uint32_t *inner = calloc(p->nr_frames + 1UL, sizeof(*inner));
	_cleanup_(freep) uint32_t *place = calloc(p->nr_nodes + 1UL, sizeof(*place));
	struct unfolder u = {.p = p, .inner = inner, .place = place};
	int err = inner && place ? 0 : -ENOMEM;

	err = err ?: unfold_frames(&u);
	err = err ?: unfold_nodes(&u);
	if (!err)
		take_over(&u, p);
	vec_done(&u.frames);
	vec_done(&u.nodes);
	return err;
}
