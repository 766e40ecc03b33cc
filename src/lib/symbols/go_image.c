/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/go_image.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SEGMENTS 64

const struct go_segment *go_image_segment(const struct go_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->segments.nr; i++) {
		const struct go_segment *s = &image->segments.v[i];

		if (address >= s->address && address - s->address < s->bytes)
			return s;
	}
	return NULL;
}

const void *go_image_at(const struct go_image *image, uint64_t address, size_t bytes)
{
	const struct go_segment *s = go_image_segment(image, address);

	return s && bytes <= s->bytes - (address - s->address) ? s->data + (address - s->address) : NULL;
}

/* What is written at load time is in a position-independent file in its relocations only. */
static int add_segment(struct go_image *image, const GElf_Phdr *ph, const char *file, size_t file_bytes, bool is_moved)
{
	struct go_segment s = {.address = ph->p_vaddr, .bytes = ph->p_filesz};

	if (ph->p_offset > file_bytes || ph->p_filesz > file_bytes - ph->p_offset || !ph->p_filesz)
		return 0;
	s.data = file + ph->p_offset;
	if (is_moved && ph->p_flags & PF_W) {
		s.own = malloc(s.bytes);
		if (!s.own)
			return -ENOMEM;
		s.data = memcpy(s.own, s.data, s.bytes);
	}
	if (vec_push(&image->segments, s)) {
		free(s.own);
		return -ENOMEM;
	}
	return 0;
}

/* Write what the program has at an address of its own, such as R_X86_64_RELATIVE; those without a copy are left out. */
static void relocate(struct go_image *image, Elf_Scn *section, GElf_Word relative)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		const struct go_segment *s = go_image_segment(image, rela.r_offset);
		uint64_t at = s ? rela.r_offset - s->address : 0;

		if (GELF_R_TYPE(rela.r_info) == relative && s && s->own && sizeof(uint64_t) <= s->bytes - at)
			memcpy(s->own + at, &rela.r_addend, sizeof(uint64_t));
	}
}

static void relocate_all(struct go_image *image, Elf *elf, GElf_Half machine)
{
	GElf_Word relative = machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_RELA && sh.sh_flags & SHF_ALLOC)
			relocate(image, section, relative);
}

int go_image_read(struct go_image *ret, Elf *elf)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;
	size_t nr, bytes;
	const char *file = elf_rawfile(elf, &bytes);
	int err = 0;

	*ret = (struct go_image){0};
	if (!file || !gelf_getehdr(elf, &eh) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB || elf_getphdrnum(elf, &nr))
		return 0;
	for (size_t i = 0; !err && i < nr && ret->segments.nr < MAX_SEGMENTS; i++)
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_LOAD && !(ph.p_flags & PF_X))
			err = add_segment(ret, &ph, file, bytes, eh.e_type == ET_DYN);
	if (!err)
		relocate_all(ret, elf, eh.e_machine);
	return err;
}

void go_image_done(struct go_image *image)
{
	for (size_t i = 0; i < image->segments.nr; i++)
		free(image->segments.v[i].own);
	vec_done(&image->segments);
}
