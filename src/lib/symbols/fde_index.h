/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the beginning of functions without a symbol, by their FDEs. Stripped programs still have unwind tables, so all
 * samples of an unnamed function are counted under its beginning.
 */
#pragma once
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct fde_index;

/*
 * Read the table in .eh_frame_hdr of the ELF file @elf, which is open as @fd. *@ret is NULL if the file has no such
 * table or an invalid one; free it with fde_index_free().
 * Returns 0 or -ENOMEM.
 */
int fde_index_read(struct fde_index **ret, Elf *elf, int fd);

/*
 * Find the function that covers link-time address @address; *@start is its beginning. Returns false if there is none or
 * @f is NULL.
 */
bool fde_index_find(const struct fde_index *f, uint64_t address, uint64_t *start);
/* Get the code of function @i, in the order of addresses. Returns false if its FDE is invalid. */
uint32_t fde_index_nr(const struct fde_index *f);
bool fde_index_code(const struct fde_index *f, uint32_t i, uint64_t *start, uint64_t *end);

/* Return where the next FDE begins after @address; UINT64_MAX: there is none. */
uint64_t fde_index_next(const struct fde_index *f, uint64_t address);

/* Like fde_index_find(), and *@end is the end of the function. */
bool fde_index_extent(const struct fde_index *f, uint64_t address, uint64_t *start, uint64_t *end);
void fde_index_free(struct fde_index *f);

static inline void fde_index_freep(struct fde_index **f)
{
	fde_index_free(*f);
}
