/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A Go program's table of its functions, and where its trees of inlined calls are.
 *
 * The table is a section of its own, unless a linker has merged it into another. The trees are outside it. Since Go 1.18 the
 * functions have offsets from a place that only moduledata knows (runtime/symtab.go), which is not in the symbol table of a stripped
 * program, but begins with the address of the table.
 */
#pragma once
#include "lib/symbols/go_image.h"
#include "lib/symbols/gopclntab.h"

struct go_program {
	struct go_image image;
	struct gopclntab table; /* without functions, if the file is no Go program */
	uint64_t data_base;	/* what gopclntab_data() is relative to */
	uint32_t tree;		/* which data of a function is its tree of inlined calls; 0: not known */
};

/* A call that was inlined. */
struct go_call {
	const char *function;
	int32_t parent;	  /* the call that contains it; negative: the function itself */
	const char *file; /* where it was called, or NULL: where the code at @called_at is from */
	uint32_t line;
	uint64_t called_at;
};

/* Read the program in @elf. Returns 0, also if it is not of Go, or -ENOMEM; free @ret with go_program_done() in both cases. */
int go_program_read(struct go_program *ret, Elf *elf);

/* The same of data that are in @ret->image already; the table is at @address. */
void go_program_find(struct go_program *ret, uint64_t address, size_t bytes);
void go_program_done(struct go_program *p);

/*
 * Get inlined call @i in the tree of @f; @calls has which call is where in @f. Returns false if there is none, or it makes no sense:
 * a call comes behind the one that contains it.
 */
bool go_program_call(const struct go_program *p, const struct gopclntab_function *f,
		     const struct gopclntab_values *calls, int32_t i, struct go_call *ret);
