/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walking at once, where nothing may be waited for, over what earlier walks have learnt: known mappings, cached rows.
 * Of the target only stack is read, and only what is in memory. What is cold is left to walk_stack(), later.
 */
#pragma once
#include "core/walk/step.h"

#define NOFAULT_TURNS 32

/*
 * Walk from the registers in w->machine.reg[], as walk_start() does, to w->out and w->outcome, and note in w->trace all
 * that the walk depended on. 0: what walk_stack() would have come to; -EAGAIN: something is cold. Any context; bounded.
 */
CORE int walk_nofault(struct walk *w);
