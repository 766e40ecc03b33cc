/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maintenance of the unwinder while it works: walks that do not end, and requests that the kernel has lost. Each tool
 * looks for the former about once a second, and for the latter every five; several at once do no harm.
 */
#pragma once
#include "lib/unwinder/service.h"

#define MAX_WALK_NS 5000000000ULL /* a process with a longer walk is excluded */

struct maintenance {
	u64 looked_ns; /* the last run, CLOCK_MONOTONIC */
	u64 swept_ns;  /* the last look for requests that the kernel has lost */
};

/* Do maintenance if it is due. Returns 0 or a negative errno. */
int maintain(struct maintenance *k, struct service *s);

/* Store up to @max ids of excluded processes in @ret. Returns how many. */
size_t maintenance_excluded(const struct service *s, pid_t *ret, size_t max);
