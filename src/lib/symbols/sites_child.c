/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The confined process's side of reading sites: symbol tables and notes, by elfutils. */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include "base/file.h"
#include "base/vec.h"
#include "lib/symbols/sites.h"
#include "lib/symbols/stapsdt.h"
#include "lib/symbols/symbols.h"

#define MAX_SYMBOLS (1 << 24)
#define MAX_NAME_BYTES 4096

struct output {
	Elf *elf;      /* the file itself */
	uint64_t base; /* address of .stapsdt.base; 0: it has none */
	bool is_64;
	struct vec(char) bytes;
};

/* Convert a link-time address to an offset in the file. Returns 0, or -ENOENT: it is not in the file. */
static int offset_of(const struct output *o, uint64_t address, bool code, uint64_t *ret)
{
	size_t nr;

	if (elf_getphdrnum(o->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(o->elf, i, &ph) || ph.p_type != PT_LOAD || (code && !(ph.p_flags & PF_X)))
			continue;
		if (address >= ph.p_vaddr && address - ph.p_vaddr < ph.p_filesz) {
			*ret = address - ph.p_vaddr + ph.p_offset;
			return 0;
		}
	}
	return -ENOENT;
}

static int put(struct output *o, struct site_record *r, const char *provider, const char *name, const char *arguments)
{
	size_t p = strlen(provider) + 1, n = strlen(name) + 1, a = strlen(arguments) + 1;
	int err;

	if (n > MAX_NAME_BYTES)
		return 0;
	r->text_bytes = p + n + a;
	err = vec_append(&o->bytes, (const char *)r, sizeof(*r));
	err = err ?: vec_append(&o->bytes, provider, p);
	err = err ?: vec_append(&o->bytes, name, n);
	return err ?: vec_append(&o->bytes, arguments, a);
}

static int put_symbol(struct output *o, const char *name, const GElf_Sym *sym)
{
	unsigned char type = GELF_ST_TYPE(sym->st_info);
	struct site_record r = {.kind = type == STT_GNU_IFUNC ? SITE_CHOOSER : SITE_FUNCTION, .bytes = sym->st_size};

	if (!name || !*name || sym->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return 0;
	if (offset_of(o, sym->st_value, true, &r.offset))
		return 0;
	return put(o, &r, "", name, "");
}

static int put_symbols(struct output *o, Dwfl_Module *module)
{
	int nr = dwfl_module_getsymtab(module), err = 0;

	for (int i = 1; !err && i < nr && i < MAX_SYMBOLS; i++) {
		GElf_Addr address;
		GElf_Sym sym;
		const char *name = dwfl_module_getsym_info(module, i, &sym, &address, NULL, NULL, NULL);

		err = put_symbol(o, name, &sym);
	}
	return err;
}

/* Addresses in notes are those that the linker gave; a tool that moved the file (prelink) has moved .stapsdt.base with it. */
static int put_note(struct output *o, const void *description, size_t bytes)
{
	struct site_record r = {.kind = SITE_USDT};
	struct stapsdt s;
	uint64_t moved;

	if (stapsdt_read(&s, description, bytes, o->is_64))
		return 0;
	moved = o->base && s.base ? o->base - s.base : 0;
	if (offset_of(o, s.address + moved, true, &r.offset))
		return 0;
	if (s.semaphore && offset_of(o, s.semaphore + moved, false, &r.semaphore))
		return 0;
	return put(o, &r, s.provider, s.name, s.arguments);
}

static int put_notes(struct output *o, Elf_Data *data)
{
	size_t at = 0, next, name, description;
	int err = 0;
	GElf_Nhdr note;

	while (!err && data && (next = gelf_getnote(data, at, &note, &name, &description)) > 0) {
		if (note.n_type == STAPSDT_TYPE && note.n_namesz == sizeof("stapsdt") &&
		    !memcmp((const char *)data->d_buf + name, "stapsdt", sizeof("stapsdt")))
			err = put_note(o, (const char *)data->d_buf + description, note.n_descsz);
		at = next;
	}
	return err;
}

/* Call @use for each section of the file until it returns not 0. */
static int each_section(struct output *o,
			int (*use)(struct output *o, Elf_Scn *section, const GElf_Shdr *sh, const char *name))
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr sh;
	int err = 0;

	if (elf_getshdrstrndx(o->elf, &names))
		return 0;
	while (!err && (section = elf_nextscn(o->elf, section))) {
		const char *name = gelf_getshdr(section, &sh) ? elf_strptr(o->elf, names, sh.sh_name) : NULL;

		err = name ? use(o, section, &sh, name) : 0;
	}
	return err;
}

static int note_base(struct output *o, Elf_Scn *section, const GElf_Shdr *sh, const char *name)
{
	if (!strcmp(name, ".stapsdt.base"))
		o->base = sh->sh_addr;
	return 0;
}

static int put_section(struct output *o, Elf_Scn *section, const GElf_Shdr *sh, const char *name)
{
	return sh->sh_type == SHT_NOTE && !strcmp(name, ".note.stapsdt") ? put_notes(o, elf_getdata(section, NULL)) : 0;
}

int sites_write(int fd, const char *path, int out)
{
	struct output o = {0};
	Dwfl_Module *module;
	GElf_Addr bias;
	Dwfl *dwfl = NULL;
	int err = symbols_report(&dwfl, &module, fd, path);

	if (!err)
		o.elf = dwfl_module_getelf(module, &bias);
	if (!err && !o.elf)
		err = -ENOEXEC;
	if (!err) {
		o.is_64 = gelf_getclass(o.elf) == ELFCLASS64;
		each_section(&o, note_base);
		err = put_symbols(&o, module) ?: each_section(&o, put_section);
	}
	err = err ?: file_write_fd(out, o.bytes.v, o.bytes.nr);
	vec_done(&o.bytes);
	if (dwfl)
		dwfl_end(dwfl);
	return err;
}
