/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Select, sort and print the stacks of a stackmap. */
#pragma once
#include <dusk/stackmap.h>
#include <stdio.h>

enum stackmap_order { STACKMAP_AS_IS, STACKMAP_BY_REF, STACKMAP_BY_DEPTH };

struct stackmap_choice {
	bool kernel, user;	   /* only kernel or only user stacks; both or none: all */
	enum stackmap_order order; /* the largest first */
	uint32_t top;		   /* at most this many; 0: all */
};

/* Reduce @s to the stacks that @c chooses, in the order of @c. */
void stackmap_choose(struct dusk_stacks *s, const struct stackmap_choice *c);

/* The sources of names. If all are NULL, frames are shown as numbers. */
struct stackmap_names {
	const struct dusk_symbols *symbols; /* of kernel stacks */
	const struct dusk_profile *profile; /* the profile of the stacks */
	const struct dusk_stacks *stacks;   /* stacks of a file that contains names */
	/* dusk_stackmap_name(), for all other stacks */
	void (*name)(struct dusk_stackmap *map, uint64_t frame, char *ret, size_t room);
	struct dusk_stackmap *map;
};

/* Print "stack_id 42 [ref 1337, depth 8]" and a line for each frame, for each stack. */
void stackmap_text(FILE *out, const struct dusk_stacks *s, const struct stackmap_names *names);

/* Print a line for each frame, behind @indent, numbered from @first. Returns the number after the last. */
uint32_t stackmap_frames_text(FILE *out, const struct dusk_stack *stack, const struct stackmap_names *names,
			      const char *indent, uint32_t first);

/* Print a JSON array of objects, in the form of the kernel's tool for the ftrace stackmap. */
void stackmap_json(FILE *out, const struct dusk_stacks *s, const struct stackmap_names *names);

/* Print the modules of @s, as lines "    3  BUILD-ID  /usr/bin/xz" or as JSON. */
void stackmap_modules(FILE *out, const struct dusk_stacks *s);
void stackmap_modules_json(FILE *out, const struct dusk_stacks *s);

/* Print the statistics, in the form of the ftrace stackmap's stack_map_stat with additions, or as one JSON object. */
void stackmap_stat_text(FILE *out, const struct dusk_stackmap_stat *s);
void stackmap_stat_json(FILE *out, const struct dusk_stackmap_stat *s);
