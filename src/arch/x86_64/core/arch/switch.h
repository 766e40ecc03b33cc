/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How functions that have changed the stack are left: Go's. */
#pragma once
#include "core/code/go.h"
#include "core/code/rules.h"

/* Go to where the function at return address m->pc came from, by @kind, not 0. Returns as go_switch(). */
static INLINE int switch_stack(struct machine *m, u32 kind)
{
	return kind >= ASMCGOCALL ? cgo_switch(m, kind) : go_switch(m, kind);
}

/* Is this frame, which rule m->rule says has no caller, where the walk should have come to? */
static INLINE bool switch_is_outermost(struct machine *m)
{
	return true;
}

/* Check where the rule m->rule has led from @ra, to m->pc. Returns 0, or -ESRCH: there is no caller. */
static INLINE int switch_is_done(struct machine *m, u64 ra)
{
	if (m->rule != RULE_GO_MORESTACK)
		return 0;
	m->bare_at = m->pc;
	return go_called_near(m, ra) ? 0 : -ESRCH;
}
