/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call frame instructions → the row at one PC (DWARF 5 §6.4.2, §6.4.3). */
#pragma once
#include "core/reader.h"
#include "core/row.h"

#define CFI_MAX_OPS 16384
#define CFI_MAX_SAVED 8

struct cfi {
	/* input */
	u64 pc;
	u64 start;			/* of the code that the FDE describes */
	u64 initial_insns, initial_end; /* the CIE's program ... */
	u64 insns, end;			/* ... and the FDE's */
	u64 code_align;
	s64 data_align;
	u64 hdr;      /* rows hold expressions as distances from here */
	u32 encoding; /* of addresses, DW_EH_PE_* */
	u32 class;    /* of the file */
	/* input, and output for the next FDE of this CIE */
	u32 has_initial;
	struct row initial; /* the result of the CIE's program: if it is known, the program does not run */
	u32 spared;	    /* how many of CFI_MAX_OPS may not be used */
	/* output */
	struct row row;
	u32 detail;
	/* working space */
	u32 phase, error, depth, ops;
	u64 loc;
	u64 stop; /* end of the program that runs */
	struct row saved[CFI_MAX_SAVED];
	struct reader in;
};

/* Compute the row at c->pc, to c->row. Returns 0 or an enum outcome. */
GLOBAL u32 cfi_run(struct cfi *c NONNULL);
