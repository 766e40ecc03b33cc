/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who looks after the unwinder while it works: walks that do not end, and requests that the kernel has lost. Each tool
 * does, about once a second; it does no harm if several do.
 */
#pragma once
#include "lib/shared/service.h"

#define MAX_WALK_NS 5000000000ULL /* a walk that takes longer has its process excluded */

struct maintenance {
	u64 looked_ns; /* CLOCK_MONOTONIC */
};

/* Look, if it is time. Returns 0 or a negative errno. */
int maintain(struct maintenance *k, struct service *s);

/* The processes that are excluded: up to @max to @ret, returns how many. */
size_t maintenance_excluded(const struct service *s, pid_t *ret, size_t max);
