/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Debug information in sections that are compressed by zstd, which libdw reads since 0.189 only. For confined processes. */
#pragma once
#include <elfutils/libdw.h>

struct zstd_sections {
	char *image; /* the file in memory, with these sections as they were */
	Elf *elf;
	Dwarf *dwarf; /* NULL: there is none */
};

/*
 * Unpack the sections of @elf, which is that of a file. Without such sections, or if they are invalid or have more than
 * ZSTD_SECTIONS_BYTES, @ret->dwarf is NULL. Free @ret with zstd_sections_done() in any case.
 */
#define ZSTD_SECTIONS_BYTES (192UL << 20)
void zstd_sections_read(struct zstd_sections *ret, Elf *elf);
void zstd_sections_done(struct zstd_sections *z);
