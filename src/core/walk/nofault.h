/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The no-fault walk: a walk that waits for nothing, over what earlier walks have learnt: known mappings and cached
 * rows. Of the target it reads only the stack, and only pages that are in memory. Where that is not enough,
 * walk_stack() has to walk later.
 */
#pragma once
#include "core/walk/step.h"

#define NOFAULT_TURNS 32

/*
 * Walk from the registers in w->machine.reg[], after the same preparations as for walk_start(), to w->out and
 * w->outcome, and record in w->trace all that the walk depended on. Returns 0: the result is the one that walk_stack()
 * would have; -EAGAIN: something is not cached or not in memory. Any context; bounded.
 */
CORE int walk_nofault(struct walk *w);
