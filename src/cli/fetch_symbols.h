/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names that only servers know are fetched while nobody waits for them. */
#pragma once
#include <dusk/dusk.h>

/*
 * Ask the servers in $DEBUGINFOD_URLS for what the profile at @path lacks, in a process of its own that outlives us;
 * what they say goes to the cache, where the next command finds it. @lines: inlined functions and lines, too. Nothing
 * happens if another process is at it, or if there is no cache.
 */
void fetch_names(const char *path, bool lines);
