/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When have all left who may have seen things as they were? For user space, which may wait for that. */
#pragma once
#include <errno.h>
#include <unistd.h>
#include "base/clock.h"
#include "core/shared/grace.h"

#define GRACE_POLL_US 200
#define GRACE_NS 3000000000ULL /* who is inside takes microseconds, unless nobody lets him run */

/* Wait until they have. -ETIMEDOUT: somebody stays inside. */
static inline int grace_wait(struct grace *g)
{
	u64 end_ns = now_ns() + GRACE_NS;
	u32 begun = grace_begin(g);

	for (int asked = 1; !grace_has_passed(g, begun); asked++) {
		if (asked < GRACE_TURNS)
			continue; /* mostly nobody is inside, and that is all */
		if (now_ns() > end_ns)
			return -ETIMEDOUT;
		usleep(GRACE_POLL_US);
	}
	return 0;
}
