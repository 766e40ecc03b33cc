/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When have all left who may have seen things as they were? For user space, which may wait for that. */
#pragma once
#include <unistd.h>
#include "core/grace.h"

#define GRACE_POLL_US 200

/* Wait until they have. One waiter at a time. */
static inline void grace_wait(struct grace *g)
{
	for (int turn = 0; turn < 2; turn++) {
		u32 phase = grace_turn(g);

		while (!grace_is_over(g, phase))
			usleep(GRACE_POLL_US);
	}
}
