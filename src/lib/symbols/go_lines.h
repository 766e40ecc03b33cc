/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inlined functions and lines of a Go function, by what the program knows of itself, in the form of a unit of DWARF. */
#pragma once
#include "lib/symbols/dwarfread.h"
#include "lib/symbols/go_program.h"

/* Read function @i of @p's table. Returns 0 or -ENOMEM; free *@ret with dwarfread_body_done() in both cases. */
int go_lines_body(const struct go_program *p, uint32_t i, struct dwarfread_body *ret);
