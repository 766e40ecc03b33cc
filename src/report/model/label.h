/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Give each frame the name that views show.
 *
 * A label is a module, and its function and line if requested. Views add up frames with the same label. Functions of one name
 * in one file, as static ones of two of its sources, have different labels, which look the same. Code without a symbol is labelled with its address, "libfoo.so+0x1234". A place is a node of the profile, or nr_nodes + outcome:
 * samples without any frame are at the place of their outcome, labelled "[no stack: exiting]".
 */
#pragma once
#include <dusk/dusk.h>
#include "base/strings.h"

struct labels {
	const struct dusk_profile *profile;
	struct strings names; /* number = label; the bytes: function, 0, module, 0, line, 0, which of the name */
	uint32_t *of_frame;
	uint32_t *of_outcome;
	bool *kernel; /* by label */
};

enum label_part { LABEL_FUNCTION = 1, LABEL_LINE = 2 };

/* @parts: a set of enum label_part. Free *@ret with labels_free(). Returns 0 or -ENOMEM. */
int labels_new(struct labels **ret, const struct dusk_profile *p, unsigned int parts);
void labels_free(struct labels *l);

static inline void labels_freep(struct labels **l)
{
	labels_free(*l);
}

const char *label_function(const struct labels *l, uint32_t label); /* "" if not requested */
const char *label_module(const struct labels *l, uint32_t label);
const char *label_line(const struct labels *l, uint32_t label); /* "file:line", "[no line]"; "" if not requested */

/* Compare by function, then by module, then by line, then by which of the name it is. */
int label_compare(const struct labels *l, uint32_t a, uint32_t b);

/* The name of a module: "libc.so.6", "[vdso]", "[anon]", "[kernel]"; "" for module 0. */
const char *module_name(const struct dusk_profile *p, uint32_t module);

/* The source position of @f in its own function: the last of its lines, as those before it are of inlined code. */
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
