/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unpack sections: their bytes come behind those of the file, in a copy of it, and their headers say so.
 *
 * gABI, "Compressed sections": an Elf64_Chdr and then the compressed bytes.
 */
#include "lib/symbols/zstd_sections.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "base/cleanup.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif
#define ALIGNMENT 64UL /* of sections, at least; no debug information asks for more */

struct file {
	const char *bytes;
	size_t nr;
	const Elf64_Shdr *sections;
	size_t nr_sections;
};

static bool is_inside(const struct file *f, uint64_t offset, uint64_t bytes)
{
	return offset <= f->nr && bytes <= f->nr - offset;
}

static bool open_file(struct file *ret, Elf *elf)
{
	const Elf64_Ehdr *eh;

	ret->bytes = elf_rawfile(elf, &ret->nr);
	eh = (const Elf64_Ehdr *)ret->bytes;
	if (!eh || ret->nr < sizeof(*eh) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_shentsize != sizeof(Elf64_Shdr) ||
	    eh->e_shoff % _Alignof(Elf64_Shdr))
		return false;
	ret->sections = (const Elf64_Shdr *)(ret->bytes + eh->e_shoff);
	ret->nr_sections = eh->e_shnum;
	return is_inside(ret, eh->e_shoff, ret->nr_sections * sizeof(Elf64_Shdr));
}

/* Return whether section @s is compressed by zstd; then *@head is its header. */
static bool is_packed(const struct file *f, const Elf64_Shdr *s, Elf64_Chdr *head)
{
	if (!(s->sh_flags & SHF_COMPRESSED) || s->sh_type == SHT_NOBITS || s->sh_size < sizeof(*head) ||
	    !is_inside(f, s->sh_offset, s->sh_size))
		return false;
	memcpy(head, f->bytes + s->sh_offset, sizeof(*head));
	return head->ch_type == ELFCOMPRESS_ZSTD;
}

static size_t align(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/* Return how many bytes the sections have, or 0 if there are none, or too many bytes. */
static size_t unpacked_bytes(const struct file *f)
{
	size_t all = 0;
	Elf64_Chdr head;

	for (size_t i = 0; i < f->nr_sections; i++) {
		if (!is_packed(f, &f->sections[i], &head))
			continue;
		if (head.ch_size > ZSTD_SECTIONS_BYTES - all)
			return 0;
		all = align(all + head.ch_size);
		if (all > ZSTD_SECTIONS_BYTES)
			return 0;
	}
	return all;
}

/* Unpack all to @image, which is a copy of the file, from @at on. */
static bool unpack(const struct file *f, char *image, size_t at)
{
	Elf64_Shdr *sections = (Elf64_Shdr *)(image + ((const char *)f->sections - f->bytes));
	Elf64_Chdr head;

	for (size_t i = 0; i < f->nr_sections; i++) {
		const Elf64_Shdr *s = &f->sections[i];

		if (!is_packed(f, s, &head))
			continue;
		if (ZSTD_decompress(image + at, head.ch_size, f->bytes + s->sh_offset + sizeof(head),
				    s->sh_size - sizeof(head)) != head.ch_size)
			return false;
		sections[i].sh_flags &= ~(uint64_t)SHF_COMPRESSED;
		sections[i].sh_offset = at;
		sections[i].sh_size = head.ch_size;
		sections[i].sh_addralign = head.ch_addralign;
		at = align(at + head.ch_size);
	}
	return true;
}

void zstd_sections_read(struct zstd_sections *ret, Elf *elf)
{
	struct file f;
	size_t more, behind;

	*ret = (struct zstd_sections){NULL};
	if (!elf || !open_file(&f, elf))
		return;
	more = unpacked_bytes(&f);
	behind = align(f.nr);
	ret->image = more ? calloc(1, behind + more) : NULL;
	if (!ret->image)
		return;
	memcpy(ret->image, f.bytes, f.nr);
	if (!unpack(&f, ret->image, behind))
		return;
	ret->elf = elf_memory(ret->image, behind + more);
	ret->dwarf = ret->elf ? dwarf_begin_elf(ret->elf, DWARF_C_READ, NULL) : NULL;
}

void zstd_sections_done(struct zstd_sections *z)
{
	if (z->dwarf)
		dwarf_end(z->dwarf);
	if (z->elf)
		elf_end(z->elf);
	free(steal(z->image));
}
