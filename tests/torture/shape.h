/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack of a sample as the truth knows stacks: the victim's own functions, cut in two at each signal frame.
 *
 * What libc and the vDSO have inside the victim's innermost function is left out.
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>
#include <stdio.h>

#define MAX_SEGMENT 64
#define MAX_SEGMENTS 16
#define ANY_PATH -1

/* Functions from the outermost inwards, as shape.c numbers them. */
struct segment {
	int nr;
	bool broken; /* libc called the victim, or there are too many functions */
	unsigned char function[MAX_SEGMENT];
};

struct shape {
	int nr, frames;			      /* frames: of user mode, of any module */
	bool unnamed;			      /* one of them is in a module of which nothing is known */
	bool misplaced;			      /* the innermost function does not make the system call it is in */
	struct segment segment[MAX_SEGMENTS]; /* by level */
};

struct shapes;

/* NULL: out of memory. Borrows @p. */
struct shapes *shapes_new(const struct dusk_profile *p);
void shapes_free(struct shapes *s);
void shapes_get(const struct shapes *s, uint32_t node, struct shape *ret);

/* Exactly @path, below main() or as a handler? */
bool segment_is(const struct segment *s, int path, bool handler);

/* Does it lead to @path, or is it not in any path yet? */
bool segment_leads_to(const struct segment *s, int path);

/* Does it lead to any path? */
bool segment_is_legal(const struct segment *s, bool handler);

/* A handler that has called nothing, or only the return from one. */
bool segment_is_bare(const struct segment *s);

/* Is it the inner part of what segment_is() or, with ANY_PATH, segment_is_legal() would accept? */
bool segment_ends(const struct segment *s, int path, bool handler);

void path_print(FILE *out, int path, bool handler);
void shapes_print(FILE *out, const struct shapes *s, uint32_t node);
