/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How functions that have changed the stack are left. Of Go's on arm64, only the beginnings of stacks are known. */
#pragma once
#include "core/code/rules.h"

/* Go to where the function at return address m->pc came from, by @kind, not 0. Returns -ENOENT: it is not known. */
static INLINE int switch_stack(struct machine *m, u32 kind)
{
	return -ENOENT;
}

/* Check where the rule m->rule has led from @ra, to m->pc. Returns 0. */
static INLINE int switch_is_done(struct machine *m, u64 ra)
{
	return 0;
}
