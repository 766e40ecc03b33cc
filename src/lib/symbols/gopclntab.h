/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a Go program knows of itself, in .gopclntab: its functions, their files and lines, and what was inlined into them. The
 * runtime needs it to walk stacks, so it is there in stripped programs, too.
 *
 * The formats of Go 1.2, 1.16, 1.18 and 1.20 (internal/abi/symtab.go, debug/gosym/pclntab.go, runtime/symtab.go). The table is
 * untrusted: each number is checked.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define GOPCLNTAB_MAGIC_1_2 0xfffffffbU
#define GOPCLNTAB_MAGIC_1_16 0xfffffffaU
#define GOPCLNTAB_MAGIC_1_18 0xfffffff0U
#define GOPCLNTAB_MAGIC_1_20 0xfffffff1U

struct gopclntab {
	const char *data;
	size_t bytes;
	uint32_t magic;
	uint32_t quantum; /* the least length of an instruction */
	uint32_t nr;	  /* functions */
	/* All below are offsets in the data. */
	uint64_t functab, funcs, names, units, files, values;
	uint64_t last_zero; /* names before it end in the table */
	uint64_t text;	    /* what addresses are relative to, or 0 */
	bool is_compact;    /* since 1.18: addresses and offsets have 32 bits */
};

struct gopclntab_function {
	uint64_t start, end; /* link-time addresses */
	const char *name;
	uint64_t record; /* where what else is known begins in the data */
};

/* A number from an address on, up to that of the next. The first word is the address. */
struct gopclntab_value {
	uint64_t address;
	int32_t value; /* negative: none */
};

struct gopclntab_values vec(struct gopclntab_value);

enum gopclntab_kind { GOPCLNTAB_FILE, GOPCLNTAB_LINE, GOPCLNTAB_CALL /* which inlined call, in the function's tree */ };

/*
 * Take the table in @data, which must live as long as @ret. Returns false if it is of no known format. Where the table does
 * not say it, as since Go 1.26, @text is 0, and the caller has to set it.
 */
bool gopclntab_open(struct gopclntab *ret, const void *data, size_t bytes);

/* Get function @i, of @t->nr. Returns false if it makes no sense. */
bool gopclntab_function(const struct gopclntab *t, uint32_t i, struct gopclntab_function *ret);

/* Find the function at @address. Returns its number, or @t->nr. */
uint32_t gopclntab_find(const struct gopclntab *t, uint64_t address);

/* Get the values of @f, which are left out where they are invalid. Returns 0 or -ENOMEM; vec_done(@ret) in both cases. */
int gopclntab_values(const struct gopclntab *t, const struct gopclntab_function *f, enum gopclntab_kind kind,
		     struct gopclntab_values *ret);

/* Return the value at @address, or -1. */
int32_t gopclntab_value(const struct gopclntab_values *values, uint64_t address);

/* Return the name of @f's file @number, or NULL. */
const char *gopclntab_file(const struct gopclntab *t, const struct gopclntab_function *f, int32_t number);

/* Return the name at @offset of the names, or NULL. It must begin there, and end in the table. */
const char *gopclntab_name(const struct gopclntab *t, uint64_t offset);

/*
 * Get data @i of @f, of those that are in no table: an address, or, if the table is compact, an offset from where the
 * program keeps all such data. Returns false if there is none.
 */
bool gopclntab_data(const struct gopclntab *t, const struct gopclntab_function *f, uint32_t i, uint64_t *ret);
