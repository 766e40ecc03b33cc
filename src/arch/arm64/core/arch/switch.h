/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How functions that have changed the stack are left: Go's. */
#pragma once
#include "core/code/go.h"
#include "core/code/rules.h"

/* Go to where the function at return address m->pc came from, by @kind, not 0. Returns as go_switch(). */
static INLINE int switch_stack(struct machine *m, u32 kind)
{
	int err = kind >= ASMCGOCALL ? cgo_switch(m, kind) : go_switch(m, kind);

	if (!err)
		sp_is_known(m);
	return err;
}

/*
 * Is this frame, which rule m->rule says has no caller, where the walk should have come to? A goroutine ends in its own stack. Up to
 * Go 1.20 frame records are not corrected when a goroutine gets another stack: they lead to what was the stack before.
 */
static INLINE bool switch_is_outermost(struct machine *m)
{
	u64 g = m->reg[REG_G];

	if (m->rule != RULE_GO_EXIT)
		return true;
	if (m->lazy >> REG_G & 1 || g & 7 || port_read(m->scratch.word, 16, g))
		return false;
	return m->sp - m->scratch.word[G_START] <= m->scratch.word[G_END] - m->scratch.word[G_START];
}

/* Check where the rule m->rule has led from @ra, to m->pc. Returns 0, or -ESRCH: there is no caller. */
static INLINE int switch_is_done(struct machine *m, u64 ra)
{
	if (m->rule != RULE_GO_MORESTACK)
		return 0;
	m->bare_at = m->pc;
	return go_called_near(m, ra) ? 0 : -ESRCH;
}
