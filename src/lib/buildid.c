/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read build ids from ELF files (System V ABI, chapters 4 and 5: ELF header, program headers, note section). It reads
 * with pread() alone and checks each bound, so a hostile file does no harm.
 */
#include "lib/buildid.h"
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_HEADERS 256
#define MAX_NOTES 64 /* per segment */

void buildid_hex(char *ret, const void *id, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		sprintf(ret + 2 * i, "%02x", ((const unsigned char *)id)[i]);
	ret[2 * bytes] = 0;
}

struct segment {
	uint64_t offset, bytes;
	bool notes;
};

static bool read_at(int fd, void *ret, size_t bytes, uint64_t offset)
{
	return offset <= INT64_MAX - bytes && pread(fd, ret, bytes, offset) == (ssize_t)bytes;
}

/* A note with the name "GNU", which has 4 bytes with its final 0. */
struct note {
	Elf64_Nhdr head;
	char name[4];
};

/* Find the build id among the notes of @s, and write it to @ret in hexadecimal. */
static bool find_id(char *ret, size_t room, int fd, const struct segment *s)
{
	unsigned char id[BUILDID_MAX_BYTES];
	uint64_t at = 0;
	struct note n;

	for (int i = 0; i < MAX_NOTES && at < s->bytes && s->bytes - at >= sizeof(n); i++) {
		uint64_t name_bytes, id_at;

		if (!read_at(fd, &n, sizeof(n), s->offset + at))
			return false;
		name_bytes = ((uint64_t)n.head.n_namesz + 3) & ~3ULL;
		id_at = at + sizeof(n.head) + name_bytes;
		if (n.head.n_type == NT_GNU_BUILD_ID && n.head.n_namesz == 4 && !memcmp(n.name, "GNU", 4)) {
			if (!n.head.n_descsz || n.head.n_descsz > BUILDID_MAX_BYTES || n.head.n_descsz * 2UL >= room ||
			    !read_at(fd, id, n.head.n_descsz, s->offset + id_at))
				return false;
			buildid_hex(ret, id, n.head.n_descsz);
			return true;
		}
		at = id_at + (((uint64_t)n.head.n_descsz + 3) & ~3ULL);
	}
	return false;
}

/* The program headers of a file, or its section headers. */
struct headers {
	uint64_t at;
	uint16_t bytes, nr;
	bool is_64, are_sections;
};

/* Read header @i of a 32-bit or 64-bit file. */
static bool read_header(struct segment *ret, int fd, const struct headers *h, uint16_t i)
{
	union {
		Elf64_Phdr p64;
		Elf32_Phdr p32;
		Elf64_Shdr s64;
		Elf32_Shdr s32;
	} v;
	size_t bytes = h->are_sections ? (h->is_64 ? sizeof(v.s64) : sizeof(v.s32))
				       : (h->is_64 ? sizeof(v.p64) : sizeof(v.p32));

	if (h->at > INT64_MAX || !read_at(fd, &v, bytes, h->at + (uint64_t)i * h->bytes))
		return false;
	if (h->are_sections)
		*ret = h->is_64 ? (struct segment){v.s64.sh_offset, v.s64.sh_size, v.s64.sh_type == SHT_NOTE}
				: (struct segment){v.s32.sh_offset, v.s32.sh_size, v.s32.sh_type == SHT_NOTE};
	else
		*ret = h->is_64 ? (struct segment){v.p64.p_offset, v.p64.p_filesz, v.p64.p_type == PT_NOTE}
				: (struct segment){v.p32.p_offset, v.p32.p_filesz, v.p32.p_type == PT_NOTE};
	return ret->offset <= INT64_MAX && ret->bytes <= INT64_MAX - ret->offset;
}

static bool search(char *ret, size_t room, int fd, const struct headers *h)
{
	struct segment s;

	for (uint16_t i = 0; i < h->nr && i < MAX_HEADERS && read_header(&s, fd, h, i); i++)
		if (s.notes && find_id(ret, room, fd, &s))
			return true;
	return false;
}

int buildid_read(char *ret, size_t room, int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	struct headers segments, sections;
	bool is_64;

	*ret = 0;
	if (!read_at(fd, &h.e32, sizeof(h.e32), 0) || memcmp(h.ident, ELFMAG, SELFMAG) ||
	    h.ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	if (is_64 && !read_at(fd, &h.e64, sizeof(h.e64), 0))
		return -ENOEXEC;
	segments = is_64 ? (struct headers){h.e64.e_phoff, h.e64.e_phentsize, h.e64.e_phnum, true, false}
			 : (struct headers){h.e32.e_phoff, h.e32.e_phentsize, h.e32.e_phnum, false, false};
	sections = is_64 ? (struct headers){h.e64.e_shoff, h.e64.e_shentsize, h.e64.e_shnum, true, true}
			 : (struct headers){h.e32.e_shoff, h.e32.e_shentsize, h.e32.e_shnum, false, true};
	if (!search(ret, room, fd,
		    &segments)) /* kernel modules, and what perf inject writes for JIT code, have sections only */
		search(ret, room, fd, &sections);
	return 0;
}
