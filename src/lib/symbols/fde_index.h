/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where do functions begin that have no symbol? Stock programs are stripped, but the tables that unwind them are not:
 * each function has an FDE. So all samples of one nameless function come together under the place where it begins.
 */
#pragma once
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct fdes;

/*
 * Read the table of .eh_frame_hdr of the ELF file @elf, which is open in @fd. *@ret is to be freed with fdes_free(),
 * and is NULL if the file has no such table, or one that makes no sense. -ENOMEM.
 */
int fdes_read(struct fdes **ret, Elf *elf, int fd);

/* The function that covers link-time address @address: where it begins, to *@start. False: none, or @f is NULL. */
bool fdes_find(const struct fdes *f, uint64_t address, uint64_t *start);
/* The code of the function with number @i, in the order of addresses. False: its FDE makes no sense. */
uint32_t fdes_nr(const struct fdes *f);
bool fdes_code(const struct fdes *f, uint32_t i, uint64_t *start, uint64_t *end);

/* As fdes_find(), and where it ends, to *@end. */
bool fdes_extent(const struct fdes *f, uint64_t address, uint64_t *start, uint64_t *end);
void fdes_free(struct fdes *f);

static inline void fdes_freep(struct fdes **f)
{
	fdes_free(*f);
}
