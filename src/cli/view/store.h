/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A store: a folder of profiles that were recorded one after the other, as dusk agent leaves them. Commands that read a
 * profile read a store as one:
 *
 *	STORE			all of it
 *	STORE@FROM		from a time on
 *	STORE@FROM..TO		up to another
 *
 * STORE may also be of many hosts, on a server (fleet.h).
 *
 * A time is -2h, 90s, ... before now; now; 03:12 of today; 2026-11-24; or 2026-11-24T03:12[:30][Z]. Without Z it is local.
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>

/* Name @path, a store's profiles being its members, is to be read as a store? */
bool store_is_meant(const char *path);

struct needs;

/* Completes a profile of a store that was read from @path; NULL: it cannot be read, which is said. Returns STATUS_OK, or STATUS_FAILED after it has said why. */
typedef int (*store_complete_fn)(struct dusk_profile *p, const char *path, void *ctx);

/*
 * Read the profiles that @path means, complete each, and make one of them. Those that cannot be read are left out. Free
 * *@ret with dusk_profile_free(). A server gives only what @needs (NULL: all) says, and of files sums become one where
 * their times do not matter. Returns STATUS_OK; STATUS_NOTHING, if there is nothing of that time, STATUS_USAGE or
 * STATUS_FAILED, each after it has said so.
 */
int store_open(struct dusk_profile **ret, const char *path, const struct needs *needs, store_complete_fn complete,
	       void *ctx);

/*
 * Call @each with the path of each profile that @path means, the oldest first, until it returns anything but STATUS_OK.
 * Returns that, or as store_open().
 */
int store_each(const char *path, int (*each)(const char *path, void *ctx), void *ctx);

/* Parse a time as above, when it is @now_s. *@ret_ns is by CLOCK_REALTIME. Returns 0 or -EINVAL. */
int store_time(const char *text, uint64_t now_ns, uint64_t *ret_ns);
