/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames without CFI; and what the code around a return address shows: 8 bytes before it, and 16 behind. */
#pragma once
#include "core/arch/call.h"
#include "core/machine.h"

/* Read the code around the return address @pc, to m->code. Returns 0, -EFAULT or -EACCES. */
GLOBAL int framepointer_code(struct machine *m NONNULL, u64 pc); /* verified once */

/* Go to the caller's frame by the frame pointer, from code in the mapping @start to @end. Returns 0, -EFAULT or -EACCES. */
GLOBAL int framepointer_step(struct machine *m NONNULL, u64 start, u64 end);

/* Does m->pc follow a call? Does the return address that m->row leads to, from m->cfa? */
GLOBAL bool framepointer_is_called(struct machine *m NONNULL);
GLOBAL bool framepointer_row_leads(struct machine *m NONNULL); /* verified once */

/*
 * In code that no FDE covers, has the thread just been born? clone3() returns to such an instruction; and makecontext()
 * lets its function return to the first instruction of another function.
 */
GLOBAL bool framepointer_thread_start(struct machine *m NONNULL);
