/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .eh_frame: find the FDE that covers a PC, and decode it (LSB 5 §10.6, DWARF 5 §6.4.1). */
#pragma once
#include "core/tables/cfi.h"
#include "core/module.h"

struct cie {
	u64 key;	/* the file and the place in it, from cie_key(); 0: none read yet */
	u64 insns, end; /* distances from its start, as each process has it elsewhere */
	u64 code_align;
	s64 data_align;
	u32 encoding; /* of the PCs in its FDEs */
	u32 signal, sized;
	u32 has_row;
	struct row row; /* the result of its program, once that has been run */
};

struct fde {
	u64 addr, cie, insns, end;
	u64 start, size; /* the code that it describes */
};

/* An entry of the sorted table in .eh_frame_hdr: the start of code, and its FDE, as distances from the section. */
struct ehframe_entry {
	s32 start_off, fde_off;
};

#define EHFRAME_HELD 32 /* entries that are read at once: 256 bytes */
#define MAX_FDES (1 << 18)
#define EHFRAME_MARKS 8192
#define EHFRAME_CIES 8 /* kept from walk to walk, except the first one, which each walk forgets */

struct ehframe {
	/* input */
	u64 pc;
	u64 hdr; /* .eh_frame_hdr, or .eh_frame itself if there is no table */
	u64 bias;
	u32 module, class; /* of the file; module 0: what is found must not be kept */
	u32 sequence;	   /* of the address space, if what is found is to be kept */
	/* output */
	struct fde fde;
	u32 which; /* its CIE: ehframe_cie() */
	struct cie cie[EHFRAME_CIES];
	struct cfi cfi; /* all that cfi_run() needs */
	/* working space */
	u32 low, high;	   /* the entry is one of these, or the one before */
	u32 node;	   /* the place in the tree of the binary search: 1, then 2 or 3, then 4 to 7 */
	u32 held, nr_held; /* entry[] holds the entries of this table_key(), or 0; how many */
	u32 error;
	u32 scanned, spared; /* entries looked at for this row, without a table; how many of MAX_FDES may not be */
	u32 letter, data;    /* positions in the augmentation string and data */
	struct ehframe_entry entry[EHFRAME_HELD];
	u64 met[EHFRAME_HELD]; /* marks for ehframe_keep() to store */
	u32 nr_met, pad;
	struct bounds bounds; /* of entries; cfi.in and page have their own */
	u64 scan;
	struct scan_pause pause; /* of the search without a table, for the FDE of pause_pc, within one walk */
	u64 pause_pc;
	struct page page;
};

extern u64 ehframe_marks[EHFRAME_MARKS]; /* shared by all walkers; visible so that tests can clear it */

static INLINE struct cie *ehframe_cie(struct ehframe *e)
{
	return &at(e->cie, e->which);
}

/* Set the bounds: all that is read from here on should lie in [@start, @end). */
static INLINE void ehframe_bound(struct ehframe *e, u64 start, u64 end)
{
	e->bounds = e->cfi.in.bounds = e->page.bounds = (struct bounds){start, end, 0};
}

/* Did all that was read lie in the bounds? */
static INLINE bool ehframe_is_within(const struct ehframe *e)
{
	return (s64)(e->bounds.outside | e->cfi.in.bounds.outside | e->page.bounds.outside) >= 0;
}

/* Keep what was found for the searches of all walkers; or forget it, for this walker, too. */
CORE void ehframe_keep(struct ehframe *e);
CORE void ehframe_forget(struct ehframe *e);

/* Begin another walk: keep only what the numbers of files distinguish. */
static INLINE void ehframe_start(struct ehframe *e)
{
	e->cie[0].key = 0;
	e->cfi.in.fills = 0;
	e->pause.of = 0;
}

/* Read the CIE at @addr to ehframe_cie(). A part of ehframe_find(), verified once. Returns 0 or an enum outcome. */
GLOBAL u32 ehframe_read_cie(struct ehframe *e NONNULL, u64 addr);

/* Find the FDE of e->pc in @r, the file e->module, and decode it for cfi_run(). Returns 0 or an enum outcome. */
GLOBAL u32 ehframe_find(struct ehframe *e NONNULL, const struct range *r NONNULL);

/* Compute the row at e->pc, to e->cfi.row, after ehframe_find(). Returns 0 or an enum outcome. */
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
