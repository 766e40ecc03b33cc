/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sections that dusk writes behind the stacks of a file: names, and where the stacks are from. See fsmb_section.c.
 */
#pragma once
#include <byteswap.h>
#include "lib/stacks/stacknames.h"

#define FSMB_SECTIONS 0x46534d58 /* "FSMX": the last word of the header if sections follow the stacks, and their tag */

struct fsmb_reading {
	char *bytes;
	size_t len, at;
	bool swapped;
	uint32_t identity, address_shift; /* as in struct dusk_stacks; 0: no section has it */
	char *damage;			  /* dusk_stacks.damage */
};

static inline uint32_t fsmb_u32(const struct fsmb_reading *r, uint32_t n)
{
	return r->swapped ? bswap_32(n) : n;
}

static inline uint64_t fsmb_u64(const struct fsmb_reading *r, uint64_t n)
{
	return r->swapped ? bswap_64(n) : n;
}

/* Note the damage if it is the first. Always returns false. */
__attribute__((format(printf, 2, 3))) bool fsmb_broken(struct fsmb_reading *r, const char *format, ...);

/*
 * Read the sections at r->at. *@ret are their names, which point into r->bytes; it is unchanged if there are none.
 * Damage is noted, and what comes before it is returned.
 * Returns 0 or -ENOMEM.
 */
int fsmb_read_sections(struct dusk_stack_names **ret, struct fsmb_reading *r);

/* Return the size in bytes of the sections of @s, a multiple of 8; 0 if it has none. */
size_t fsmb_sections_bytes(const struct dusk_stacks *s);
void fsmb_put_sections(char *to, const struct dusk_stacks *s);
