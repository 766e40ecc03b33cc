/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the end of a function and its source lines with libdw, and write them as bytes. Runs in the confined process. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/name.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/symbols/code.h"
#include "lib/symbols/fde_index.h"
#include "lib/symbols/go_lines.h"
#include "lib/symbols/symbols.h"
#include "lib/symbols/zstd_sections.h"

struct code {
	const struct code_wanted *wanted;
	struct code_head head;
	struct go_program go;
	struct strings names;
	struct vec(struct dusk_code_line) lines;
};

/* Return the function of Go's table that begins where the wanted one does, or the number of all. */
static uint32_t find_go(const struct code *c, struct gopclntab_function *ret)
{
	uint32_t i = gopclntab_find(&c->go.table, c->wanted->start);

	return gopclntab_function(&c->go.table, i, ret) && ret->start == c->wanted->start ? i : c->go.table.nr;
}

static int find_end(struct code *c, Dwfl_Module *module)
{
	_cleanup_(fde_index_freep) struct fde_index *fde_index = NULL;
	uint64_t begin = c->wanted->start, start, end = 0;
	struct gopclntab_function go;
	GElf_Addr bias;
	GElf_Off distance;
	GElf_Sym sym;
	Elf *elf = dwfl_module_getelf(module, &bias);
	int rc = elf ? go_program_read(&c->go, elf) : 0;

	if (rc)
		return rc;

	if (dwfl_module_addrinfo(module, begin, &distance, &sym, NULL, NULL, NULL) && !distance && sym.st_size) {
		end = begin + sym.st_size;
	} else if (find_go(c, &go) < c->go.table.nr) {
		end = go.end;
	} else {
		rc = elf ? fde_index_read(&fde_index, elf, c->wanted->fd) : -ENODATA;
		if (rc)
			return rc;
		if (!fde_index_extent(fde_index, begin, &start, &end))
			return -ENODATA;
	}
	c->head.end = end - begin > CODE_MAX_BYTES ? begin + CODE_MAX_BYTES : end;
	return 0;
}

/* Use .debug_aranges, which not every compiler writes; else search all units. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *ret)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die split;
	uint8_t type;

	if (dwarf_addrdie(dwarf, address, ret))
		return true;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, ret, &split))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) && dwarf_haspc(ret, address) > 0)
			return true;
	return false;
}

/* Of several rows at one address the last one is valid. */
static int add_line(struct code *c, uint64_t address, const char *file, int number)
{
	struct dusk_code_line line = {.address = address, .line = file && number > 0 ? number : 0};
	struct dusk_code_line *last = c->lines.nr ? &c->lines.v[c->lines.nr - 1] : NULL;
	char room[NAME_LIMIT_BYTES + 1];
	const char *name = name_limit(room, file ? file : "");
	int rc = line.line ? strings_number(&c->names, name, strlen(name), &line.file, NULL) : 0;

	if (rc)
		return rc;
	if (last && last->address == address) {
		*last = line;
		return 0;
	}
	return vec_push(&c->lines, line);
}

/* Read the lines of a function of Go's table, which has all of a program without debug information. */
static int read_go_lines(struct code *c)
{
	struct gopclntab_function f;
	uint32_t i = find_go(c, &f);
	struct dwarfread_body body = {0};
	int rc = i < c->go.table.nr ? go_lines_body(&c->go, i, &body) : 0;

	for (size_t k = 0; !rc && k < body.lines.nr; k++) {
		const struct dwarfread_line *line = &body.lines.v[k];

		if (line->address < c->head.end)
			rc = add_line(c, line->address, strings_text(&body.strings, line->file), line->line);
	}
	dwarfread_body_done(&body);
	return rc;
}

/* Read the lines of the function. libdw returns the rows sorted by address. */
static int read_lines(struct code *c, Dwfl_Module *module)
{
	struct zstd_sections unpacked = {NULL};
	Dwarf *dwarf = symbols_module_dwarf(module, &unpacked);
	Dwarf_Lines *lines;
	Dwarf_Addr address;
	Dwarf_Die unit;
	size_t nr = 0;
	int rc = 0;

	if (!dwarf || !find_unit(dwarf, c->wanted->start, &unit) || dwarf_getsrclines(&unit, &lines, &nr))
		nr = 0;
	for (size_t i = 0; i < nr && !rc; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		bool end = false;
		int number = 0;

		if (!line || dwarf_lineaddr(line, &address) || address < c->wanted->start || address >= c->head.end)
			continue;
		dwarf_lineendsequence(line, &end);
		dwarf_lineno(line, &number);
		rc = add_line(c, address, end ? NULL : dwarf_linesrc(line, NULL, NULL), number);
	}
	zstd_sections_done(&unpacked);
	return rc || c->lines.nr ? rc : read_go_lines(c);
}

static int write_all(struct code *c, int out)
{
	int rc;

	c->head.nr_lines = c->lines.nr;
	c->head.nr_files = c->names.nr;
	for (size_t i = 0; i < c->names.nr; i++)
		c->head.name_bytes += c->names.entries[i].len_bytes + 1;
	rc = file_write_fd(out, &c->head, sizeof(c->head));
	rc = rc ?: file_write_fd(out, c->lines.v, c->lines.nr * sizeof(*c->lines.v));
	for (size_t i = 0; !rc && i < c->names.nr; i++)
		rc = file_write_fd(out, c->names.entries[i].text, c->names.entries[i].len_bytes + 1);
	return rc;
}

int code_write(const struct code_wanted *wanted, int out)
{
	struct code c = {.wanted = wanted, .head.magic = CODE_MAGIC};
	Dwfl_Module *module;
	Dwfl *dwfl = NULL;
	int rc = symbols_report(&dwfl, &module, wanted->fd, wanted->path);

	rc = rc ?: find_end(&c, module);
	rc = rc ?: read_lines(&c, module);
	/* An error is part of the output, too. */
	c.head.error = rc;
	rc = write_all(&c, out);
	go_program_done(&c.go);
	dwfl_end(dwfl);
	strings_done(&c.names);
	vec_done(&c.lines);
	return rc;
}
