/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a function without CFI is left: its own code says so. */
#pragma once
#include "core/machine.h"

/*
 * Make m->row for the code at exactly m->pc, by following it to a return. @past_calls: not 0: also through calls. m->way_out.low
 * and .high are extended to what was read. Returns 0 or -ENOENT.
 */
GLOBAL int way_out_row(struct machine *m NONNULL, u32 past_calls);
