/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read from DWARF which code each compilation unit covers, and the functions, inlined functions and lines of a unit.
 *
 * libdw reads DWARF 4 and 5, and finds the files beside it (.dwo, and those that dwz makes; .dwp since 0.191). Each
 * unit is read once. Invalid parts are left out and counted, but libdw itself may crash on them, so this runs in a
 * child process.
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
	uint64_t broken;     /* units, or parts of them, that are invalid */
	uint64_t apart;	     /* units read without their functions, as their .dwo or .dwp is missing */
};

struct dwarfread_unit {
	Dwarf_Die die, code; /* the unit; the one with the functions: itself, or that in its .dwo */
	bool apart;	     /* its .dwo is missing, so it has lines only */
};

/* Strings are numbers in @strings; number 0 is "". */
struct dwarfread_block {
	uint32_t parent, name, call_file, call_line; /* parent: index + 1; 0: none */
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

/* Read the units of @dwarf. Returns 0 or -ENOMEM; free @d with dwarfread_done() in both cases. */
int dwarfread_open(struct dwarfread *d, Dwarf *dwarf);
void dwarfread_done(struct dwarfread *d);

/* Read the unit with this index. Returns 0 or -ENOMEM; free *@ret with dwarfread_body_done() in both cases. */
int dwarfread_body(struct dwarfread *d, uint32_t unit, struct dwarfread_body *ret);
void dwarfread_body_done(struct dwarfread_body *b);
