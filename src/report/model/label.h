/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which name does a frame have in a view, and which frames share it?
 *
 * A label is a module, and what was asked for of function and line: views add up what has the same label. Code
 * without a symbol is called by its place, "libfoo.so+0x1234". Samples without a single frame stand on a place of
 * their own for each outcome, "[no stack: exiting]": a place is a node of the profile, or nr_nodes + outcome.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/strings.h"

struct labels {
	const struct dusk_profile *profile;
	struct strings names; /* number = label; the bytes: function, 0, module, 0, line */
	uint32_t *of_frame;
	uint32_t *of_outcome;
	bool *kernel; /* by label */
};

enum label_part { LABEL_FUNCTION = 1, LABEL_LINE = 2 };

/* @parts: a set of enum label_part. *@ret is to be freed with labels_free(). 0 or -ENOMEM. */
int labels_new(struct labels **ret, const struct dusk_profile *p, unsigned int parts);
void labels_free(struct labels *l);

static inline void labels_freep(struct labels **l)
{
	labels_free(*l);
}

const char *label_function(const struct labels *l, uint32_t label); /* "" if it is no part */
const char *label_module(const struct labels *l, uint32_t label);
const char *label_line(const struct labels *l, uint32_t label); /* "file:line", "[no line]"; "" if it is no part */

/* By function, then by module, then by line. */
int label_compare(const struct labels *l, uint32_t a, uint32_t b);

/* "libc.so.6", "[vdso]", "[anon]", "[kernel]"; "" for module 0. */
const char *module_name(const struct dusk_profile *p, uint32_t module);

/* Where in the source the function of @f is at this frame: the last of its lines. */
static inline const struct dusk_line *frame_line(const struct dusk_profile *p, const struct dusk_frame *f)
{
	static const struct dusk_line none = {.file = ""};

	return f->nr_lines ? &p->lines[f->first_line + f->nr_lines - 1] : &none;
}

static inline uint32_t place_of(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return s->node ? s->node : p->nr_nodes + s->outcome;
}

static inline uint32_t nr_places(const struct dusk_profile *p)
{
	return p->nr_nodes + p->nr_outcomes;
}

static inline uint32_t place_parent(const struct dusk_profile *p, uint32_t place)
{
	return place < p->nr_nodes ? p->nodes[place].parent : 0;
}

static inline uint32_t place_label(const struct labels *l, uint32_t place)
{
	const struct dusk_profile *p = l->profile;

	return place < p->nr_nodes ? l->of_frame[p->nodes[place].frame] : l->of_outcome[place - p->nr_nodes];
}
