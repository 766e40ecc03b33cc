/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a walk of the current task begins. */
#pragma once
#include "walking.h"

/*
 * Get the registers of the task's entry to the kernel, to @ret. Returns 0, or the outcome (abi/outcome.h) that says why
 * there are none.
 */
u32 registers_of_entry(struct entry_registers *ret);
