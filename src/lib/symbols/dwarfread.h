/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which code does each compilation unit cover, and what does a unit say of it: functions, what was inlined, lines?
 *
 * DWARF 4 and 5 by libdw, which also finds the files beside it (.dwo, and the one that dwz has made; .dwp since
 * 0.191). Each unit is read once. What makes no sense is left out and counted; but libdw itself may not survive it,
 * so this is run in a child.
 */
#pragma once
#include <elfutils/libdw.h>
#include <stdbool.h>

#include "base/strings.h"
#include "base/vec.h"
#include "lib/symbols/ranges.h"

struct dwarfread {
	struct vec(struct dwarfread_unit) units;
	struct ranges spans; /* code -> index of its unit */
	uint64_t broken;     /* units, or parts of them, that make no sense */
	uint64_t apart;	     /* units that were read without their functions: their .dwo or .dwp is not here */
};

struct dwarfread_unit {
	Dwarf_Die die, code; /* the unit; the one that has the functions: itself, or what its .dwo has */
	bool apart;	     /* there is another, which is not here: it has lines only */
};

/* Strings are numbers in @strings, where number 0 is "". */
struct dwarfread_block {
	uint32_t parent, name, call_file, call_line; /* parent: index + 1, 0: none */
};

struct dwarfread_line {
	uint64_t address;
	uint32_t file, line;
};

struct dwarfread_body {
	struct vec(struct dwarfread_block) blocks;
	struct ranges ranges; /* code -> index of the innermost block */
	struct vec(struct dwarfread_line) lines;
	struct strings strings;
};

/* The units of @dwarf. 0 or -ENOMEM; to be freed with dwarfread_done() in either case. */
int dwarfread_open(struct dwarfread *d, Dwarf *dwarf);
void dwarfread_done(struct dwarfread *d);

/* What the unit with this index says. 0 or -ENOMEM; to be freed with dwarfread_body_done() in either case. */
int dwarfread_body(struct dwarfread *d, uint32_t unit, struct dwarfread_body *ret);
void dwarfread_body_done(struct dwarfread_body *b);
