/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions that a Go program knows of itself, in .gopclntab: the runtime needs them to walk stacks, so they are there in
 * stripped programs, too.
 *
 * The formats of Go 1.2, 1.16, 1.18 and 1.20 (internal/abi/symtab.go, debug/gosym/pclntab.go). The table is untrusted:
 * each number is checked.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gopclntab {
	const char *data;
	size_t bytes;
	uint32_t nr; /* functions */
	/* All below are offsets in the data. */
	uint64_t functab, funcs, names;
	uint64_t last_zero; /* names before it end in the table */
	uint64_t text;	    /* what addresses are relative to, or 0 */
	bool is_compact;    /* since 1.18: addresses and offsets have 32 bits */
};

struct gopclntab_function {
	uint64_t start, end; /* link-time addresses */
	const char *name;
};

/* Take the table in @data, which must live as long as @ret. Returns false if it is of no known format. */
bool gopclntab_open(struct gopclntab *ret, const void *data, size_t bytes);

/* Get function @i, of @t->nr. Returns false if it makes no sense. */
bool gopclntab_function(const struct gopclntab *t, uint32_t i, struct gopclntab_function *ret);
