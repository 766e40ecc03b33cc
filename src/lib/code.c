/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where is the code of a recorded function, and from which lines was it compiled?
 *
 * Where it ends is told by its symbol, or else by its FDE; which line an instruction comes from, by the line table of
 * the compilation unit, in the file or in the debug file that belongs to it.
 */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "base/vec.h"
#include "error.h"
#include "fdes.h"
#include "recorded.h"
#include "symbols.h"

#define MAX_CODE_BYTES (16 << 20)

struct code {
	struct dusk_code public;	/* first: dusk_code_free() gets its address */
	struct strings names;
	struct vec(struct dusk_code_line) lines;
	struct vec(const char *) files;
};

static int open_module(const struct dusk_module *m, struct dusk_error *err)
{
	int fd;

	if (m->kind != DUSK_MODULE_FILE)
		return error_set(err, -EOPNOTSUPP, "the code of %s is in no file", m->path);
	fd = recorded_open(m, NULL, NULL);
	if (fd >= 0)
		return fd;
	return error_set(err, -ENOENT, "%s is %s", m->path,
			 fd == -ESTALE ? "not the file that was recorded: its build id differs" : "not here");
}

static int find_end(struct dusk_code *c, Dwfl_Module *module)
{
	_cleanup_(fdes_freep) struct fdes *fdes = NULL;
	uint64_t start;
	GElf_Addr bias;
	GElf_Off distance;
	GElf_Sym sym;
	Elf *elf = dwfl_module_getelf(module, &bias);
	int rc;

	if (dwfl_module_addrinfo(module, c->start, &distance, &sym, NULL, NULL, NULL) && !distance && sym.st_size) {
		c->end = c->start + sym.st_size;
	} else {
		rc = elf ? fdes_read(&fdes, elf, c->fd) : -ENODATA;
		if (rc)
			return rc;
		if (!fdes_extent(fdes, c->start, &start, &c->end))
			return -ENODATA;
	}
	if (c->end - c->start > MAX_CODE_BYTES)
		c->end = c->start + MAX_CODE_BYTES;
	return 0;
}

/* By .debug_aranges, which not every compiler writes; else by asking each unit. */
static Dwarf_Die *find_unit(Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (!unit)
		while ((unit = dwfl_module_nextcu(module, unit, bias)))
			if (dwarf_haspc(unit, address - *bias) > 0)
				break;
	return unit;
}

/* The number of a source file; they are few. */
static int file_number(struct code *c, const char *name, uint32_t *ret)
{
	uint32_t number;
	bool fresh;
	int rc = strings_number(&c->names, name, strlen(name), &number, &fresh);

	if (!rc && fresh)
		rc = vec_push(&c->files, strings_text(&c->names, number));
	*ret = number;
	return rc;
}

/* Of several rows at one address the last one holds. */
static int add_line(struct code *c, uint64_t address, const char *file, int number)
{
	struct dusk_code_line line = {.address = address, .line = file && number > 0 ? number : 0};
	struct dusk_code_line *last = c->lines.nr ? &c->lines.v[c->lines.nr - 1] : NULL;
	int rc = line.line ? file_number(c, file, &line.file) : 0;

	if (rc)
		return rc;
	if (last && last->address == address) {
		*last = line;
		return 0;
	}
	return vec_push(&c->lines, line);
}

/* libdw sorts the rows by address. */
static int read_lines(struct code *c, Dwfl_Module *module)
{
	Dwarf_Addr bias, address;
	Dwarf_Die *unit = find_unit(module, c->public.start, &bias);
	Dwarf_Lines *lines;
	size_t nr;
	int rc = 0;

	if (!unit || dwarf_getsrclines(unit, &lines, &nr))
		return 0;
	for (size_t i = 0; i < nr && !rc; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		bool end = false;
		int number = 0;

		if (!line || dwarf_lineaddr(line, &address) || address + bias < c->public.start ||
		    address + bias >= c->public.end)
			continue;
		dwarf_lineendsequence(line, &end);
		dwarf_lineno(line, &number);
		rc = add_line(c, address + bias, end ? NULL : dwarf_linesrc(line, NULL, NULL), number);
	}
	c->public.nr_lines = c->lines.nr;
	c->public.lines = c->lines.v;
	c->public.nr_files = c->files.nr;
	c->public.files = c->files.v;
	return rc;
}

static int read_module(struct code *c, Dwfl *dwfl, const char *path)
{
	_cleanup_(closep) int own = fcntl(c->public.fd, F_DUPFD_CLOEXEC, 3);
	Dwfl_Module *module;
	int rc;

	if (own < 0)
		return -errno;
	dwfl_report_begin(dwfl);
	module = dwfl_report_elf(dwfl, path, path, own, 0, true);
	if (!module)
		return -ENOEXEC;
	steal_fd(&own);
	dwfl_report_end(dwfl, NULL, NULL);
	rc = find_end(&c->public, module);
	return rc ? rc : read_lines(c, module);
}

static void code_freep(struct code **c)
{
	if (*c)
		dusk_code_free(&(*c)->public);
}

int dusk_code_read(struct dusk_code **ret, const struct dusk_profile *p, uint32_t frame, struct dusk_error *err)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	const struct dusk_frame *f = &p->frames[frame];
	const struct dusk_module *m = &p->modules[f->module];
	_cleanup_(code_freep) struct code *c = calloc(1, sizeof(*c));
	Dwfl *dwfl;
	int rc;

	if (!c)
		return error_set(err, -ENOMEM, "cannot read the code of %s: %s", m->path, strerror(ENOMEM));
	c->public.start = f->address - f->function_offset;
	c->public.fd = open_module(m, err);
	if (c->public.fd < 0)
		return c->public.fd;
	dwfl = dwfl_begin(&callbacks);
	rc = dwfl ? read_module(c, dwfl, m->path) : -ENOMEM;
	dwfl_end(dwfl);
	if (rc == -ENODATA)
		return error_set(err, rc, "no symbol and no FDE tells where the function at 0x%" PRIx64 " of %s ends",
				 c->public.start, m->path);
	if (rc)
		return error_set(err, rc, "cannot read the code of %s: %s", m->path, strerror(-rc));
	*ret = &steal(c)->public;
	return 0;
}

void dusk_code_free(struct dusk_code *code)
{
	struct code *c = (struct code *)code;

	if (!c)
		return;
	closep(&c->public.fd);
	strings_done(&c->names);
	vec_done(&c->lines);
	vec_done(&c->files);
	free(c);
}
