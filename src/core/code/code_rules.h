/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code without CFI that is known by its bytes. */
#pragma once
#include "core/machine.h"

enum { CODE_RULE_NO_ELF = 4 };

#define CODE_BEFORE 64 /* bytes of code in scratch.in.window before the PC: how far back a function may begin */
#define CODE_BEHIND 40

/* Make m->row for the code at exactly @pc. @known: CODE_RULE_NO_ELF, or 0. Returns 0 or -ENOENT. */
GLOBAL int code_rule_row(struct machine *m NONNULL, u64 pc, u32 known);
GLOBAL u64 code_rule(struct machine *m NONNULL, u32 low); /* a part of it, verified once */
