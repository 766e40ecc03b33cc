/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which stacks of a stackmap are shown, in which order, and how? */
#pragma once
#include <dusk/stackmap.h>
#include <stdio.h>

enum stackmap_order { STACKMAP_AS_IS, STACKMAP_BY_REF, STACKMAP_BY_DEPTH };

struct stackmap_choice {
	bool kernel, user;	   /* only these; none: all */
	enum stackmap_order order; /* the largest first */
	uint32_t top;		   /* at most so many; 0: all */
};

/* Leave in @s what is chosen, in its order. */
void stackmap_choose(struct dusk_stacks *s, const struct stackmap_choice *c);

/* Where names come from; from nowhere: frames are shown as numbers. */
struct stackmap_names {
	const struct dusk_symbols *symbols; /* of kernel stacks */
	const struct dusk_profile *profile; /* that the stacks are of */
	const struct dusk_stacks *stacks;   /* that have them: of a file */
	/* of other stacks: dusk_stackmap_name() */
	void (*name)(struct dusk_stackmap *map, uint64_t frame, char *ret, size_t room);
	struct dusk_stackmap *map;
};

/* "stack_id 42 [ref 1337, depth 8]", and a line for each frame. */
void stackmap_text(FILE *out, const struct dusk_stacks *s, const struct stackmap_names *names);

/* The lines of its frames alone, each behind @indent; they are counted from @first. Returns the next number. */
uint32_t stackmap_frames_text(FILE *out, const struct dusk_stack *stack, const struct stackmap_names *names,
			      const char *indent, uint32_t first);

/* A JSON array of objects, as a kernel's tool for the ftrace stackmap prints it. */
void stackmap_json(FILE *out, const struct dusk_stacks *s, const struct stackmap_names *names);

/* The files that frames of @s lie in: "    3  BUILD-ID  /usr/bin/xz" each; or as JSON. */
void stackmap_modules(FILE *out, const struct dusk_stacks *s);
void stackmap_modules_json(FILE *out, const struct dusk_stacks *s);

/* What there is and was, in the form of the ftrace stackmap's stack_map_stat and more; or one JSON object. */
void stackmap_stat_text(FILE *out, const struct dusk_stackmap_stat *s);
void stackmap_stat_json(FILE *out, const struct dusk_stackmap_stat *s);
