/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Charging the current task's user stack with what the task has run up. */
#pragma once
#include "consumers.bpf.h"
#include "request.bpf.h"

/*
 * Enter @what under the stack that was asked for with the answer @err and @u: at once if it is known, else when it is.
 * Between grace_enter() and grace_leave(); by the task that asked, before it leaves the kernel.
 */
CORE void charge_answered(struct charge *what, int err, const struct dusk_unwind *u);
