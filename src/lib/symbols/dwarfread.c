/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read compilation units from DWARF. See dwarfread.h. */
#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/name.h"
#include "lib/symbols/dwarfread.h"

#define MAX_UNITS (1u << 22)
#define MAX_BLOCKS (1u << 22) /* per unit */
#define MAX_DEPTH 256	      /* of nested blocks */

struct walker {
	struct dwarfread *reader;
	struct dwarfread_body *body;
	Dwarf_Files *files;
	size_t nr_files;
	bool types_have_code; /* functions can be inside the types that they belong to */
};

/* Map the code of @die to @value. Returns 0, 1 if it has none, or -ENOMEM. */
static int add_code(struct dwarfread *d, struct ranges *r, Dwarf_Die *die, uint64_t value)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int found = 1;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* Code that the linker discarded is at address 0. */
		if (!start || start >= end)
			continue;
		if (ranges_add(r, start, end, value))
			return -ENOMEM;
		found = 0;
	}
	d->broken += at < 0;
	return found;
}

int dwarfread_open(struct dwarfread *d, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	int more = 0;

	while (d->units.nr < MAX_UNITS) {
		struct dwarfread_unit u = {0};

		more = dwarf_get_units(dwarf, cu, &cu, &version, &type, &u.die, &u.code);
		if (more)
			break;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		u.apart = type == DW_UT_skeleton && !u.code.addr;
		if (type == DW_UT_compile || u.apart)
			u.code = u.die;
		if (vec_push(&d->units, u) ||
		    add_code(d, &d->spans, &d->units.v[d->units.nr - 1].die, d->units.nr - 1) < 0)
			return -ENOMEM;
	}
	d->broken += more < 0;
	return ranges_build(&d->spans);
}

void dwarfread_done(struct dwarfread *d)
{
	vec_done(&d->units);
	ranges_done(&d->spans);
}

static int number(struct walker *w, const char *text, uint32_t *ret)
{
	char room[NAME_LIMIT_BYTES + 1];

	text = name_limit(room, text ? text : "");
	return strings_number(&w->body->strings, text, strlen(text), ret, NULL);
}

/* Return the linkage name, which is the one in the symbol table, or else the plain name. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		name = dwarf_formstring(&a);
	return name ? name : dwarf_diename(die);
}

static uint64_t constant(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute a;
	Dwarf_Word value = 0;

	return dwarf_attr(die, name, &a) && !dwarf_formudata(&a, &value) ? value : 0;
}

/* Add the block of a function, or of one inlined into @parent. *@ret is its index + 1, or 0 if it has no code. */
static int add_block(struct walker *w, Dwarf_Die *die, uint32_t parent, uint32_t *ret)
{
	uint64_t call_file = parent ? constant(die, DW_AT_call_file) : 0;
	struct dwarfread_block b = {.parent = parent};
	int err;

	*ret = 0;
	if (w->body->blocks.nr == MAX_BLOCKS)
		return 0;
	err = add_code(w->reader, &w->body->ranges, die, w->body->blocks.nr);
	if (err)
		return err < 0 ? err : 0;
	if (parent)
		b.call_line = constant(die, DW_AT_call_line);
	if (number(w, name_of(die), &b.name) ||
	    number(w, call_file < w->nr_files ? dwarf_filesrc(w->files, call_file, NULL, NULL) : NULL, &b.call_file) ||
	    vec_push(&w->body->blocks, b))
		return -ENOMEM;
	*ret = w->body->blocks.nr;
	return 0;
}

static int walk_children(struct walker *w, Dwarf_Die *die, uint32_t block, int depth);

/* @block: index + 1 of the block that contains @die. */
static int walk(struct walker *w, Dwarf_Die *die, uint32_t block, int depth)
{
	uint32_t own;
	int err;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		err = add_block(w, die, 0, &own);
		return err || !own ? err : walk_children(w, die, own, depth);
	case DW_TAG_inlined_subroutine:
		err = block ? add_block(w, die, block, &own) : 0;
		return err || !block || !own ? err : walk_children(w, die, own, depth);
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_module: return walk_children(w, die, block, depth);
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: return w->types_have_code ? walk_children(w, die, block, depth) : 0;
	default: return 0;
	}
}

static int walk_children(struct walker *w, Dwarf_Die *die, uint32_t block, int depth)
{
	Dwarf_Die child;
	int more = dwarf_child(die, &child), err = 0;

	if (depth == MAX_DEPTH) {
		w->reader->broken++;
		return 0;
	}
	for (; !more && !err; more = dwarf_siblingof(&child, &child))
		err = walk(w, &child, block, depth + 1);
	w->reader->broken += more < 0;
	return err;
}

static bool is_c(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler: return true;
	default: return false;
	}
}

static int read_blocks(struct walker *w, struct dwarfread_unit *u)
{
	int err;

	if (dwarf_getsrcfiles(&u->code, &w->files, &w->nr_files))
		w->nr_files = 0;
	w->types_have_code = !is_c(&u->code);
	err = walk_children(w, &u->code, 0, 0);
	return err ? err : ranges_build(&w->body->ranges);
}

/* Of rows with the same address the last one is valid. A row that repeats the file and line before it is dropped. */
static int add_line(struct walker *w, struct dwarfread_line line)
{
	struct dwarfread_body *b = w->body;
	struct dwarfread_line *last = b->lines.nr ? &b->lines.v[b->lines.nr - 1] : NULL;

	if (last && last->address > line.address)
		return 0;
	if (last && last->address == line.address) {
		*last = line;
		return 0;
	}
	if (last && last->file == line.file && last->line == line.line)
		return 0;
	return vec_push(&b->lines, line);
}

static int read_lines(struct walker *w, struct dwarfread_unit *u)
{
	Dwarf_Lines *lines;
	const char *last = NULL;
	uint32_t file = 0;
	size_t nr;

	if (dwarf_getsrclines(&u->die, &lines, &nr)) {
		w->reader->broken += dwarf_hasattr(&u->die, DW_AT_stmt_list);
		return 0;
	}
	for (size_t i = 0; i < nr; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		const char *name = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
		struct dwarfread_line line;
		bool end = false;
		int number_of_line = 0;

		if (!row || dwarf_lineaddr(row, &line.address) || dwarf_lineendsequence(row, &end))
			continue;
		dwarf_lineno(row, &number_of_line);
		if (name != last && number(w, name, &file))
			return -ENOMEM;
		last = name;
		line.file = end ? 0 : file;
		line.line = end || number_of_line < 0 ? 0 : number_of_line;
		if (add_line(w, line))
			return -ENOMEM;
	}
	return 0;
}

int dwarfread_body(struct dwarfread *d, uint32_t unit, struct dwarfread_body *ret)
{
	struct walker w = {.reader = d, .body = ret};
	uint32_t none;
	int err = number(&w, "", &none);

	d->apart += d->units.v[unit].apart;
	err = err ?: read_blocks(&w, &d->units.v[unit]);
	return err ?: read_lines(&w, &d->units.v[unit]);
}

void dwarfread_body_done(struct dwarfread_body *b)
{
	vec_done(&b->blocks);
	ranges_done(&b->ranges);
	vec_done(&b->lines);
	strings_done(&b->strings);
}
