/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Wait until every task that may still use an old state has left its critical section. For user space, which may sleep.
 */
#pragma once
#include <errno.h>
#include <unistd.h>
#include "base/clock.h"
#include "core/shared/grace.h"

#define GRACE_POLL_US 200
#define GRACE_NS 3000000000ULL /* a task is inside for microseconds, unless it gets no CPU */

/* Wait until a grace period of @g has passed. Returns 0, or -ETIMEDOUT: a task stays inside. */
static inline int grace_wait(struct grace *g)
{
	u64 end_ns = now_ns() + GRACE_NS;
	u32 begun = grace_begin(g);

	for (int asked = 1; !grace_has_passed(g, begun); asked++) {
		if (asked < GRACE_TURNS)
			continue; /* usually no task is inside, and the first turns suffice */
		if (now_ns() > end_ns)
			return -ETIMEDOUT;
		usleep(GRACE_POLL_US);
	}
	return 0;
}
