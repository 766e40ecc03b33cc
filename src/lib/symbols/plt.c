/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name stubs by the pointer that each jumps by: a relocation says which function it is of. */
#include "lib/symbols/plt.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/rank.h"

#define MAX_SLOTS (1 << 20)
#define STUB_BYTES 16 /* unless the section says that it is 8 */

struct got_entry {
	uint64_t address; /* must be first: rank_of() */
	const char *function;
};

struct got_entries {
	struct vec(struct got_entry) v;
};

/* Add the pointers that the relocations in @section, with header @sh, are of. */
static int add_slots(struct got_entries *slots, Elf *elf, Elf_Scn *section, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(section, NULL), *symbols = elf_getdata(elf_getscn(elf, sh->sh_link), NULL);
	GElf_Shdr table;
	GElf_Rela rela;
	GElf_Sym sym;

	if (!data || !symbols || !gelf_getshdr(elf_getscn(elf, sh->sh_link), &table))
		return 0;
	for (int i = 0; slots->v.nr < MAX_SLOTS && gelf_getrela(data, i, &rela); i++) {
		struct got_entry s = {rela.r_offset, NULL};

		if (GELF_R_SYM(rela.r_info) && gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym))
			s.function = elf_strptr(elf, table.sh_link, sym.st_name);
		if (s.function && *s.function && vec_push(&slots->v, s))
			return -ENOMEM;
	}
	return 0;
}

static int by_address(const void *first, const void *second)
{
	const struct got_entry *a = first, *b = second;

	return (a->address > b->address) - (a->address < b->address);
}

static const char *function_of(const struct got_entries *slots, uint64_t address)
{
	size_t i = rank_of(slots->v.v, slots->v.nr, sizeof(*slots->v.v), address);

	return i && slots->v.v[i - 1].address == address ? slots->v.v[i - 1].function : NULL;
}

/*
 * A stub of x86-64 (psABI for AMD64, 5.2 "Procedure Linkage Table"): get the place of the pointer that the @bytes bytes at @code,
 * which have the link-time address @address, jump by.
 */
static bool decode_x86_64(const uint8_t *code, size_t bytes, uint64_t address, uint64_t *ret)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25}; /* jmp *offset(%rip) */
	size_t at = bytes >= sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)) ? sizeof(endbr) : 0;
	int32_t offset;

	at += at < bytes && code[at] == 0xf2; /* bnd */
	if (at + sizeof(jump) + sizeof(offset) > bytes || memcmp(code + at, jump, sizeof(jump)))
		return false;
	at += sizeof(jump);
	memcpy(&offset, code + at, sizeof(offset));
	*ret = address + at + sizeof(offset) + (int64_t)offset;
	return true;
}

static int add_stubs(struct plt *p, const struct got_entries *slots, Elf_Scn *section, const GElf_Shdr *sh)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	size_t bytes = sh->sh_entsize == 8 ? 8 : STUB_BYTES;

	for (size_t at = 0; data && data->d_buf && at + bytes <= data->d_size; at += bytes) {
		struct plt_stub stub = {sh->sh_addr + at, bytes, NULL};
		uint64_t slot;

		if (decode_x86_64((const uint8_t *)data->d_buf + at, bytes, stub.start, &slot))
			stub.function = function_of(slots, slot);
		if (stub.function && vec_push(&p->stubs, stub))
			return -ENOMEM;
	}
	return 0;
}

/* Call one of the two for each section: relocations, or stubs. */
static int each_section(struct plt *p, struct got_entries *slots, Elf *elf, bool relocations)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	size_t names;
	int err = 0;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while (!err && (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &sh)) {
		const char *name = elf_strptr(elf, names, sh.sh_name);

		if (relocations && sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			err = add_slots(slots, elf, section, &sh);
		else if (!relocations && sh.sh_type == SHT_PROGBITS && name && !strncmp(name, ".plt", 4))
			err = add_stubs(p, slots, section, &sh);
	}
	return err;
}

int plt_read(struct plt *ret, Elf *elf)
{
	struct got_entries slots = {0};
	GElf_Ehdr eh;
	int err;

	*ret = (struct plt){0};
	if (!gelf_getehdr(elf, &eh) || eh.e_machine != EM_X86_64 || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	err = each_section(ret, &slots, elf, true);
	if (slots.v.nr)
		qsort(slots.v.v, slots.v.nr, sizeof(*slots.v.v), by_address);
	err = err ?: each_section(ret, &slots, elf, false);
	vec_done(&slots.v);
	return err;
}

void plt_done(struct plt *p)
{
	vec_done(&p->stubs);
}
