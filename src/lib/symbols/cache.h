/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cache of what earlier look-ups found in files, by build id.
 *
 * There is one file per build id (symfile.h), in a folder that only this user may write to. Files are put in place by
 * rename(), so that readers see complete ones; of two writers of one file, the later wins. When the total size exceeds
 * the limit, the least recently used files are removed.
 */
#pragma once
#include "lib/symbols/symfile.h"

#define CACHE_MAX_BYTES (512ULL << 20)

/*
 * Load what is cached into @s, which is empty, and stays so on failure. Returns 0, -ENOENT, or another negative errno.
 */
int cache_load(struct symfile *s, const char *folder, const char *build_id);

/* Store @s, and reduce the cache to at most @max_bytes in total. The folder and its parent are created if missing. */
int cache_store(const struct symfile *s, const char *folder, const char *build_id, uint64_t max_bytes);
