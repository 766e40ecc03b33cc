/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which address does a frame get where a format wants one?
 *
 * A profile has places in files, not addresses, since the same file lies elsewhere in each process. Formats with
 * mappings get an address space of our making, the same for all processes: each file has one place in it, above what a
 * process can have, so that no JIT code, which keeps its real addresses, is in the way. Kernel addresses are real.
 */
#pragma once
#include <dusk/dusk.h>

struct layout_range {
	uint64_t start, limit; /* limit: behind the last byte. Both 0: nothing of the module was met */
	uint64_t offset;       /* in the file, of start; of memory without a file: start */
};

/* A range for each module, to be freed with free(). 0 or -ENOMEM. */
int layout_new(struct layout_range **ret, const struct dusk_profile *p);

/* The address of a frame; of a return address, one inside the call before it. */
uint64_t layout_address(const struct layout_range *l, const struct dusk_profile *p, uint32_t frame);
