/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of code of Python. */
#pragma once
#include "abi/code.h"

/*
 * Return the line in its source of the instruction at @position in code @c: its index from the start, in units of 2 bytes. @table is the
 * line table, of which the first @kept bytes are there: those of its first piece are also in @c.
 * FRAME_POSITION (abi/frame.h) is somewhere in the code, and the line that of its beginning.
 *
 * Returns 0 if it is not known: what is kept of the table ends before that instruction, it is no table of Python, or the
 * compiler gave the instruction no line.
 */
u32 python_lines_find(const struct code_content *c, const u8 *table, u32 kept, u32 position);
