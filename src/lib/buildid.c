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

/* Read program header @i of a 32-bit or 64-bit file. */
static bool read_segment(struct segment *ret, int fd, bool is_64, uint64_t headers, uint16_t size, uint16_t i)
{
	uint64_t at = headers + (uint64_t)i * size;
	Elf64_Phdr p64;
	Elf32_Phdr p32;

	if (headers > INT64_MAX)
		return false;
	if (is_64) {
		if (!read_at(fd, &p64, sizeof(p64), at))
			return false;
		*ret = (struct segment){p64.p_offset, p64.p_filesz, p64.p_type == PT_NOTE};
	} else {
		if (!read_at(fd, &p32, sizeof(p32), at))
			return false;
		*ret = (struct segment){p32.p_offset, p32.p_filesz, p32.p_type == PT_NOTE};
	}
	return ret->offset <= INT64_MAX && ret->bytes <= INT64_MAX - ret->offset;
}

int buildid_read(char *ret, size_t room, int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	bool is_64;
	uint16_t nr;

	*ret = 0;
	if (!read_at(fd, &h.e32, sizeof(h.e32), 0) || memcmp(h.ident, ELFMAG, SELFMAG) ||
	    h.ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	if (is_64 && !read_at(fd, &h.e64, sizeof(h.e64), 0))
		return -ENOEXEC;
	nr = is_64 ? h.e64.e_phnum : h.e32.e_phnum;
	for (uint16_t i = 0; i < nr && i < MAX_HEADERS; i++) {
		struct segment s;

		if (!read_segment(&s, fd, is_64, is_64 ? h.e64.e_phoff : h.e32.e_phoff,
				  is_64 ? h.e64.e_phentsize : h.e32.e_phentsize, i))
			break;
		if (s.notes && find_id(ret, room, fd, &s))
			break;
	}
	return 0;
}
