/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The names of the frames of a set of stacks, and the files that they are in; in memory as in a file: fsmb_section.c.
 */
#pragma once
#include <dusk/stackmap.h>

/* @function, @module, @path and @build_id are offsets into the text. */
struct stackname {
	uint64_t frame;
	uint32_t outer; /* 1: kernel code in a frame other than the innermost, so a return address */
	uint32_t function, module;
	uint32_t offset, size; /* in bytes: offset from the function's start; the function's size, 0 if not known */
	uint32_t reserved;
};

struct stackfile {
	uint32_t number; /* of the module, as in frames */
	uint32_t path, build_id;
	uint32_t reserved;
};

struct dusk_stack_names {
	const char *text;	       /* strings, each with a 0 byte at its end */
	const struct stackfile *files; /* sorted by number, no duplicates */
	const struct stackname *names; /* sorted by frame and @outer, no duplicates */
	size_t text_bytes, nr_files, nr_names;
	void *store[3]; /* memory that the names own, if they are not borrowed */
};

/* Order for qsort() and bsearch(): by frame and @outer; by number. */
int stackname_order(const void *a, const void *b);
int stackfile_order(const void *a, const void *b);
void stacknames_free(struct dusk_stack_names *n);

/* Return stackname.outer for frame @i of @stack: 1 if its name depends on its being a return address, and it is one. */
uint32_t stacknames_outer(const struct dusk_stack *stack, uint32_t i);
