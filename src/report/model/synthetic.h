/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Add synthetic frames to the stacks of off-CPU intervals.
 *
 * The synthetic part begins with a frame without a module. Wakers are shown as by offwaketime: "--", the waker's stack
 * from the innermost to the outermost frame, its name.
 */
#pragma once
#include "report/model/filter.h"
#include "report/model/idle.h"

/*
 * Add the off-CPU interval's state, "[sleeping]", or IDLE_MARK if it is of a thread that @idle says is idle there. @idle: of
 * the profile with all off-CPU intervals, or NULL. Returns 0 or -ENOMEM.
 */
#define IDLE_MARK "[waiting for work]"
int synthetic_marks(struct filtered *f, const struct idle *idle);

/*
 * Add the waker that ended the off-CPU interval, its waker, and so on, at most @max. @whole: the profile with all
 * off-CPU intervals, by which chains go on. @processes: of each waker also the PID and the title. Returns 0 or -ENOMEM.
 */
int synthetic_wakers(struct filtered *f, const struct dusk_profile *whole, uint32_t max, bool processes);

/*
 * Which nodes of @p are in the synthetic part of a stack? Returns an array by node, to be freed with free(), or NULL
 * when memory is short.
 */
bool *synthetic_nodes(const struct dusk_profile *p);
