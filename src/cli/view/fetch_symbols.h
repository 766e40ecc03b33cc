/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fetch names from debuginfod servers in the background. */
#pragma once
#include <dusk/dusk.h>

/*
 * Ask the servers in $DEBUGINFOD_URLS for names that the profile at @path lacks, in a separate process that outlives
 * us. Answers go to the cache, where the next command finds them. @lines: also fetch inlined functions and lines. Does
 * nothing if another process is fetching, or if there is no cache.
 */
void fetch_names(const char *path, bool lines);
