/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in a store, from the outside: how many profiles, how large, and when something was last written. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define STALE_S 180 /* an agent writes a window every ten seconds */

struct store_state {
	uint64_t nr_profiles, bytes;
	uint64_t signature;   /* another one when a file was added, removed or changed, but for a chance */
	double written_s_ago; /* since something was last written; < 0: nothing ever was */
	char counting
		[2][PATH_MAX]; /* the path of what is being recorded, the oldest, and of the newest profile; "": none */
};

/* Is @store no folder, but on a server (src/cli/view/fleet.h)? Then dusk store status looks at it. */
static inline bool store_is_elsewhere(const char *store)
{
	return strstr(store, "://");
}

/* Look at the store in the folder @path. Returns 0 or a negative errno. */
int store_state_read(struct store_state *ret, const char *path);
