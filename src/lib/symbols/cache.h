/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What did an earlier look-up find out about the file with this build id?
 *
 * One file each (symfile.h), in a folder that is only ours: nobody else may write to it. Files come by rename(), so
 * that readers see whole ones; of two that write the same, the later one stays. When all together are too large, those
 * that were not used for the longest time go.
 */
#pragma once
#include "lib/symbols/symfile.h"

#define CACHE_MAX_BYTES (512ULL << 20)

/* Add what is known to @s, which is empty. 0, -ENOENT, or why not; @s stays empty then. */
int cache_load(struct symfile *s, const char *folder, const char *build_id);

/* Keep @s, and at most @max_bytes of all. The folder, and the one that it is in, are made if they are not there. */
int cache_store(const struct symfile *s, const char *folder, const char *build_id, uint64_t max_bytes);
