/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the address range that contains an address.
 *
 * Ranges may overlap in any way: the one that was added last wins. Add them all, then call ranges_build(), then
 * ranges_find().
 */
#pragma once
#include <stdint.h>

#include "base/vec.h"

struct range {
	uint64_t start, end; /* @end is exclusive */
	uint64_t value;	     /* of the caller */
};

struct ranges_piece {
	uint64_t start, end;
	uint32_t range;
};

struct ranges {
	struct vec(struct range) all;
	struct vec(struct ranges_piece) pieces; /* sorted by address, without overlap */
};

/* Add a range; an empty one is accepted, and never found. Returns 0 or -ENOMEM. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint64_t value);
int ranges_build(struct ranges *r);
const struct range *ranges_find(const struct ranges *r, uint64_t address);
void ranges_done(struct ranges *r);
