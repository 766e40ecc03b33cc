/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a frame to its caller. */
#pragma once
#include "core/machine.h"

/* Go to the caller's frame by m->row. Returns 0 or an enum outcome. */
GLOBAL u32 apply_row(struct machine *m NONNULL);
