/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What follows the stacks in a file of ours: names, and where they are from. See fsmb_section.c. */
#pragma once
#include <byteswap.h>
#include "lib/profile/stacknames.h"

#define FSMB_SECTIONS 0x46534d58 /* "FSMX": a header's last word, if sections follow the stacks; and their tag */

struct fsmb_reading {
	char *bytes;
	size_t len, at;
	bool swapped;
	uint32_t identity; /* of the stackmap, if a section says it */
	char *damage;	   /* struct dusk_stacks */
};

static inline uint32_t fsmb_u32(const struct fsmb_reading *r, uint32_t n)
{
	return r->swapped ? bswap_32(n) : n;
}

static inline uint64_t fsmb_u64(const struct fsmb_reading *r, uint64_t n)
{
	return r->swapped ? bswap_64(n) : n;
}

/* Note the damage, if it is the first; false. */
__attribute__((format(printf, 2, 3))) bool fsmb_broken(struct fsmb_reading *r, const char *format, ...);

/*
 * The sections at r->at: names, to *@ret, which lie in r->bytes; nothing, if there are none. What is broken is noted,
 * and what is whole before it is there. 0 or -ENOMEM.
 */
int fsmb_read_sections(struct dusk_stack_names **ret, struct fsmb_reading *r);

/* What follows the stacks of @s in a file: a multiple of 8 bytes; nothing: 0. */
size_t fsmb_sections_bytes(const struct dusk_stacks *s);
void fsmb_put_sections(char *to, const struct dusk_stacks *s);
