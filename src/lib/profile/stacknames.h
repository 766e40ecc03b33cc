/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What are the frames of a set of stacks called, which files do they lie in? In memory as in a file: fsmb_section.c. */
#pragma once
#include <dusk/stackmap.h>

/* @function, @module, @path, @build_id: where it begins in the text. */
struct stackname {
	uint64_t frame;
	uint32_t outer; /* 1: kernel code, but not the innermost frame, so a return address */
	uint32_t function, module;
	uint32_t offset, size; /* bytes: from the function's start; of the function, 0: not known */
	uint32_t reserved;
};

struct stackfile {
	uint32_t number; /* of the module, as frames have it */
	uint32_t path, build_id;
	uint32_t reserved;
};

struct dusk_stack_names {
	const char *text;	       /* strings, each with a 0 byte at its end */
	const struct stackfile *files; /* by number, each once */
	const struct stackname *names; /* by frame and @outer, each once */
	size_t text_bytes, nr_files, nr_names;
	void *store[3]; /* where these lie, if they are not borrowed */
};

/* For qsort() and bsearch(): by frame and @outer; by number. */
int stackname_order(const void *a, const void *b);
int stackfile_order(const void *a, const void *b);
void stacknames_free(struct dusk_stack_names *n);

/* Is frame @i of @stack one whose name depends on whether it is a return address, and is it one? As stackname.outer. */
uint32_t stacknames_outer(const struct dusk_stack *stack, uint32_t i);
