/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where do functions begin that have no symbol? Stock programs are stripped, but the tables that unwind them are not:
 * each function has an FDE. So all samples of one unnamed function come together under the place where it begins.
 */
#pragma once
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct fde_index;

/*
 * Read the table of .eh_frame_hdr of the ELF file @elf, which is open in @fd. *@ret is to be freed with
 * fde_index_free(), and is NULL if the file has no such table, or one that makes no sense. -ENOMEM.
 */
int fde_index_read(struct fde_index **ret, Elf *elf, int fd);

/* The function that covers link-time address @address: where it begins, to *@start. False: none, or @f is NULL. */
bool fde_index_find(const struct fde_index *f, uint64_t address, uint64_t *start);
/* The code of the function with number @i, in the order of addresses. False: its FDE makes no sense. */
uint32_t fde_index_nr(const struct fde_index *f);
bool fde_index_code(const struct fde_index *f, uint32_t i, uint64_t *start, uint64_t *end);

/* As fde_index_find(), and where it ends, to *@end. */
bool fde_index_extent(const struct fde_index *f, uint64_t address, uint64_t *start, uint64_t *end);
void fde_index_free(struct fde_index *f);

static inline void fde_index_freep(struct fde_index **f)
{
	fde_index_free(*f);
}
