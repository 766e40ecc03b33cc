/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .eh_frame: which FDE covers a PC, and what does it say? (LSB 5 §10.6, DWARF 5 §6.4.1) */
#pragma once
#include "core/tables/cfi.h"
#include "core/module.h"

struct cie {
	u64 key;	/* the file and where in it, as cie_key() has it; 0: none read yet */
	u64 insns, end; /* distances from its start: each process has it elsewhere */
	u64 code_align;
	s64 data_align;
	u32 encoding; /* of the PCs in its FDEs */
	u32 signal, sized;
	u32 has_row;
	struct row row; /* what its program makes, once that has been run */
};

struct fde {
	u64 addr, insns, end;
	u64 start, size; /* the code that it describes */
};

/* Of the sorted table in .eh_frame_hdr: where code begins, and its FDE, as distances from the section. */
struct ehframe_entry {
	s32 start_off, fde_off;
};

#define EHFRAME_HELD 32 /* entries that are read at once: 256 bytes */
#define MAX_FDES (1 << 18)
#define EHFRAME_MARKS 8192
#define EHFRAME_CIES 8 /* kept from walk to walk, but for the first one, which each walk forgets */

struct ehframe {
	/* asked */
	u64 pc;
	u64 hdr; /* .eh_frame_hdr, or .eh_frame itself if there is no table */
	u64 bias;
	u32 module, class; /* of the file; module 0: what is found is not to be remembered */
	/* answered */
	struct fde fde;
	u32 which; /* its CIE: ehframe_cie() */
	struct cie cie[EHFRAME_CIES];
	struct cfi cfi; /* all that cfi_run() asks */
	/* working space */
	u32 low, high;	   /* the entry is one of these, or the one before */
	u32 node;	   /* the place in the tree of halvings: 1, then 2 or 3, then 4 to 7 */
	u32 held, nr_held; /* of entry[]: that place, as table_key() has it, or 0; how many they are */
	u32 error;
	u32 scanned, spared; /* without a table: looked at for this row; of MAX_FDES: fewer have to do */
	u32 letter, data;    /* positions in the augmentation string and data */
	struct ehframe_entry entry[EHFRAME_HELD];
	u64 met[EHFRAME_HELD]; /* marks that the search would leave */
	u32 nr_met, pad;
	struct bounds bounds; /* of entries; cfi.in and page have their own */
	u64 scan;
	struct page page;
};

extern u64 ehframe_marks[EHFRAME_MARKS]; /* for all walkers; for tests to forget */

static INLINE struct cie *ehframe_cie(struct ehframe *e)
{
	return &at(e->cie, e->which);
}

/* All that is read from here on should lie in [@start, @end). */
static INLINE void ehframe_bound(struct ehframe *e, u64 start, u64 end)
{
	e->bounds = e->cfi.in.bounds = e->page.bounds = (struct bounds){start, end, 0};
}

/* Has it? */
static INLINE bool ehframe_is_within(const struct ehframe *e)
{
	return (s64)(e->bounds.outside | e->cfi.in.bounds.outside | e->page.bounds.outside) >= 0;
}

/* What was found is to be remembered for other searches, by all; or is it to be forgotten, and by this walker? */
CORE void ehframe_keep(struct ehframe *e);
CORE void ehframe_forget(struct ehframe *e);

/* Another walk: keep nothing but what is told apart by the numbers of files. */
static INLINE void ehframe_start(struct ehframe *e)
{
	e->cie[0].key = 0;
	e->cfi.in.fills = 0;
}

/* Find and decode the FDE of e->pc in @r, the file e->module, for cfi_run(). 0 or an enum outcome. */
CORE u32 ehframe_find(struct ehframe *e, const struct range *r);

/* The row at e->pc, to e->cfi.row: after ehframe_find(). 0 or an enum outcome. */
static INLINE u32 ehframe_row(struct ehframe *e)
{
	struct cie *cie = ehframe_cie(e);
	struct cfi *c = &e->cfi;
	u32 outcome = cfi_run(c);

	if (outcome)
		return outcome;
	if (!cie->has_row && c->has_initial) {
		cie->row = c->initial;
		cie->has_row = 1;
	}
	c->row.flags |= cie->signal; /* ROW_SIGNAL */
	return 0;
}
