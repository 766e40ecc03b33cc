/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of V8, and where they have what: v8.c and v8_place.c. */
#pragma once
#include "core/lang/frames.h"
#include "core/lang/v8.h"

/* Pointers to objects have 1 more than the address of their first word. Small integers have 0, and lie in the upper half. */
#define TAG 1
#define TAGS 3
#define SMALL_SHIFT 32

/* The words of V8, in the order of their symbols. */
enum field {
	FUNCTION_SHARED,
	SHARED_FLAGS,
	SCOPE_VARIABLES, /* a word's number, without the first one; it tells two layouts from each other: */
	FUNCTION_TYPE,
	SHARED_TYPE,
	SCRIPT_TYPE,
	SCOPE_TYPE,
	FIRST_CONTEXT, /* type */
	NEEDED,	       /* those before */
	BYTECODE_TYPE = NEEDED,
	BYTECODE_DATA,
	BYTES_TYPE,
	TRUSTED_BYTES_TYPE,
	CODE_TYPE,
	STREAM_TYPE,
	CODE_START,
	CODE_SIZE,
	INLINING,
	NR_FIELDS,
	/* what follows from these */
	CODE_APART = NR_FIELDS, /* 1: instructions are an object of their own, which leads to the code */
	CODE_TABLE,
	HEADER_TYPE,
	BYTECODE_TABLE
};

#define NO_FIELD (~0u) /* of a symbol that is not there. No type is this */
#define VARIABLES_FIRST 3
#define POSITIONS_FIRST 5

_Static_assert(NR_FIELDS == SYMBOL_PERL_LOOP - SYMBOL_V8_FUNCTION_SHARED, "each symbol is that of a field");

/* What is read of a function, one after the other. Those before NAME find out which function it is, and where in it. */
enum part { NOTHING, NAME, FILE_NAME, SOURCE, LINES, ALL, SEARCH, POSITION, INLINED, SHARED };

static INLINE u32 field(const struct lang *l, enum field which)
{
	return l->runtime.field[which];
}

static INLINE bool is_object(u64 word)
{
	return (word & TAGS) == TAG;
}

/* Take what a table says of a place: the character of the source, and the function that was inlined. */
static INLINE void v8_take_position(struct v8_function *f, u64 position)
{
	u32 source = position >> 1 & ((1u << 30) - 1), is_here = source && !(position & 1);

	f->position = (source - 1) & -is_here;
	f->inlined = (s32)(position >> 31 & 0xffff) - 1;
}
