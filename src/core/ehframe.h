/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* .eh_frame: which FDE covers a PC, and what does it say? (LSB 5 §10.6, DWARF 5 §6.4.1) */
#pragma once
#include "module.h"
#include "reader.h"

struct cie {
	u64 addr;			/* 0: none read yet */
	u64 insns, end;
	u64 code_align;
	s64 data_align;
	u32 encoding;			/* of the PCs in its FDEs */
	u32 signal, sized;
};

struct fde {
	u64 addr, insns, end;
	u64 start, size;		/* the code that it describes */
};

/* Of the sorted table in .eh_frame_hdr: where code begins, and its FDE, as distances from the section. */
struct ehframe_entry {
	s32 start_off, fde_off;
};

#define EHFRAME_HELD 32		/* so many are read at once: 256 bytes */

struct ehframe {
	/* asked */
	u64 pc;
	u64 hdr;			/* .eh_frame_hdr, or .eh_frame itself if there is no table */
	u32 class;			/* of the file */
	/* answered */
	struct cie cie;
	struct fde fde;
	/* working space */
	u32 low, high;
	s32 fde_off, start_off;
	u32 error;
	u32 letter, data;		/* positions in the augmentation string and data */
	u32 held, nr_held;		/* entries of the table that were read */
	struct ehframe_entry entry[EHFRAME_HELD];
	u64 scan;
	struct reader in;
	struct page page;
};

/* Find and decode the FDE of e->pc in @r. 0 or an enum outcome. */
CORE u32 ehframe_find(struct ehframe *e, const struct range *r);
