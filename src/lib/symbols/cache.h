/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cache of what earlier look-ups found in files, by build id and by whose word the file is: anybody can give the build id of
 * another file to his own, and other names.
 *
 * There is one file for each build id and owner (symfile.h), in a folder that only this user may write to. Files are put in place by
 * rename(), so that readers see complete ones; of two writers of one file, the later wins. When the total size exceeds
 * the limit, the least recently used files are removed.
 */
#pragma once
#include "lib/symbols/symfile.h"

#define CACHE_MAX_BYTES (512ULL << 20)
/*
 * Load what is cached of the file @fd, which has @build_id, into @s, which is empty, and stays so on failure. Without the file (-1)
 * what is cached of our own file with that build id is taken: of its code it is true.
 * Returns 0, -ENOENT, -ESTALE (of another file with that build id), -EPERM (this file, or the cache, is not to be trusted), or
 * another negative errno.
 */
int cache_load(struct symfile *s, const char *folder, const char *build_id, int fd);

/* Store @s, of the file @fd, and reduce the cache to at most @max_bytes in total. The folder and its parent are created if missing. */
int cache_store(const struct symfile *s, const char *folder, const char *build_id, int fd, uint64_t max_bytes);
