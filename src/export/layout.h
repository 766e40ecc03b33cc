/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Assign addresses to frames, for formats that need them.
 *
 * A profile has offsets in files, not addresses, since a file is mapped at different addresses in each process. Formats
 * with mappings get a made-up address space, the same for all processes. Each file has one range in it, above the user
 * addresses of a process, so that it does not overlap JIT code, which keeps its real addresses. Kernel addresses are
 * real. Code that an interpreter runs is nowhere, and has no range.
 */
#pragma once
#include <dusk/dusk.h>

struct layout_range {
	uint64_t start, limit; /* limit: after the last byte. Both 0: the module has no frames */
	uint64_t offset;       /* the file offset of start; without a file, the same as start */
};

/* Make a range for each module. Free *@ret with free(). Returns 0 or -ENOMEM. */
int layout_new(struct layout_range **ret, const struct dusk_profile *p);

/* Has @frame an address? */
bool layout_has(const struct dusk_profile *p, uint32_t frame);

/* The address of @frame; for a return address, the one before, which is in the call instruction. 0: it has none. */
uint64_t layout_address(const struct layout_range *l, const struct dusk_profile *p, uint32_t frame);
