/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What code of an interpreted language is, from what the kernel side keeps (abi/code.h). */
#pragma once
#include "abi/code.h"
#include "lib/lang/code_text.h"

struct code {
	u32 language;
	char name[2 * CODE_TEXT_BYTES + 2]; /* qualified; "": not known */
	char file[CODE_TEXT_BYTES];	    /* of the source; "": not known */
	struct code_content content;
	u32 kept; /* bytes of the line table that are there */
	u8 table[MAX_TABLE_BYTES];
};

/*
 * Get the code with @number, which is not 0, from @map: the descriptor of a BPF map that has a struct code_content by number. Returns 0;
 * -ENOENT: there is none, or it is not known yet.
 */
int code_find(struct code *ret, int map, u32 number);

/* Return the line in its source of @position in the code; 0: it is not known. */
u32 code_line(const struct code *c, u32 position);
