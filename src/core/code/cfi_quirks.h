/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code whose CFI is known to be wrong. */
#pragma once
#include "core/machine.h"

/* How a quirk was recognized: by the code, which is the same in all processes, or by this stack. */
enum cfi_quirk { NO_QUIRK, QUIRK_BY_CODE, QUIRK_BY_STACK };

/* Correct m->row if it is known to be wrong in the function of @size bytes at @start. Returns the quirk. */
GLOBAL u32 cfi_fixup(struct machine *m NONNULL, u64 start, u64 size);
GLOBAL u32 cfi_rule(struct machine *m NONNULL, u32 distance);  /* a part of it, verified once */
GLOBAL bool cfi_landing(struct machine *m NONNULL, u64 start); /* another one */

#define CFI_QUIRK_CODE 224 /* bytes of code behind the PC that a quirk may depend on */
