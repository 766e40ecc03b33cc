/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .sframe: find the row at a PC (The SFrame Format, versions 1 to 3).
 *
 * The section has an index of functions, and for each a list of rows, which say where the CFA, the caller's return
 * address and its frame pointer are. It does not describe other registers. On x86-64 the return address is at a fixed
 * distance from the CFA, unless a flexible function (version 3) has it elsewhere.
 */
#pragma once
#include "core/machine.h"
#include "core/module.h"

enum sframe_flag {
	SFRAME_SORTED = 1,	  /* the functions are sorted by address */
	SFRAME_FRAME_POINTER = 2, /* all functions keep one; not in version 3 */
	SFRAME_PCREL = 4,	  /* a function is given by its distance from its entry, not from the section */
};

#define SFRAME_ENTRY_BYTES 16	  /* the size of the fields that entries of all versions have, in different orders */
#define SFRAME_WORDS 6		  /* of a row: control and offset for each of CFA, RA, FP */
#define SFRAME_MAX_ROWS (1 << 16) /* of a function */

#define SFRAME_MAX_UNSORTED (1 << 14) /* functions */
#define SFRAME_MAX_ITEMS (SFRAME_MAX_UNSORTED + SFRAME_MAX_ROWS + 2)

/*
 * A control word: is the offset from a register, or from the CFA? Is the sum the value, or is the value in memory
 * there?
 */
#define SFRAME_FROM_REG 1
#define SFRAME_LIES_THERE 2
#define SFRAME_REG_SHIFT 3

struct sframe_row {
	u32 start;  /* of its code, from the start of the function or, if masked, of its block */
	u8 from_sp; /* the CFA is based on rsp, else on rbp; of no meaning in a flexible function */
	u8 nr;	    /* number of words; 0: the outermost frame */
	u8 bytes;   /* the size of a word */
	u8 pad;
	u32 word[8]; /* @nr of them, not sign-extended */
};

enum sframe_item { SFRAME_HEADER, SFRAME_FUNCTION, SFRAME_ATTRIBUTES, SFRAME_ROW };

struct sframe {
	/* input */
	u64 pc;
	u64 section;
	u64 program_entry;
	/* output */
	struct row row;
	/* the header */
	u32 version, flags;
	s32 fixed_fp, fixed_ra; /* distance from the CFA; 0: none */
	u32 nr_functions, nr_rows, row_bytes;
	u64 index, rows;
	/* a function, from its entry, and its attributes */
	u64 entry, start;
	u32 size, first;	     /* bytes of code; distance of its attributes or rows from @rows */
	u32 nr;			     /* number of rows */
	u8 masked, flexible, signal; /* @masked: its code repeats in blocks of @block bytes, as a PLT does */
	u8 start_bytes;		     /* the size of a row's start */
	u32 block;
	/* a row */
	struct sframe_row next;
	/* working space */
	struct sframe_row here;
	u32 item; /* enum sframe_item: the item at which @in is */
	u32 i, low, high;
	u32 off, left; /* the PC's offset in the function or block; rows that have not been read */
	u32 found, error;
	u32 items, spared; /* read for this row; how many of SFRAME_MAX_ITEMS may not be */
	struct reader in;
};

/* Return @word of a row as an offset. */
static INLINE s32 sframe_offset(const struct sframe_row *r, u32 word)
{
	u32 unused = 32 - 8 * r->bytes;

	return (s32)(word << (unused & 31)) >> (unused & 31);
}

static INLINE void sframe_at_header(struct sframe *s)
{
	s->item = SFRAME_HEADER;
	reader_go(&s->in, s->section);
}

static INLINE void sframe_at_function(struct sframe *s, u32 i)
{
	static const u8 entry_bytes[4] = {[1] = 17, 20, SFRAME_ENTRY_BYTES};

	s->item = SFRAME_FUNCTION;
	s->entry = s->index + (u64)i * at(entry_bytes, s->version);
	reader_go(&s->in, s->entry);
}

/* Go to the attributes of the function that was read last. */
static INLINE void sframe_at_attributes(struct sframe *s)
{
	s->item = SFRAME_ATTRIBUTES;
	reader_go(&s->in, s->version == 3 ? s->rows + s->first : s->entry + SFRAME_ENTRY_BYTES);
}

/* Go to the rows, after the attributes were read. To read a row leads to the next one. */
static INLINE void sframe_at_rows(struct sframe *s)
{
	s->item = SFRAME_ROW;
	if (s->version != 3)
		reader_go(&s->in, s->rows + s->first);
}

/* Find the row of s->pc in @r, and decode it to s->row. Returns 0 or an enum outcome. */
GLOBAL u32 sframe_find(struct sframe *s NONNULL, const struct range *r NONNULL);

/* Compute the rules of a row with ROW_FLEXIBLE, to m->cfa and m->value[]. Returns 0 or an enum outcome. */
GLOBAL u32 sframe_rules(struct machine *m NONNULL);

/* Parts of the above that do not read memory, each verified once. They return 0 or an enum outcome. */
GLOBAL u32 sframe_decode(struct sframe *s NONNULL);
GLOBAL u32 sframe_go_on(struct sframe *s NONNULL);
GLOBAL u32 sframe_make_row(struct sframe *s NONNULL);
