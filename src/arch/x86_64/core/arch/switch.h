/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How functions that have changed the stack are left: Go's; and those that never return. */
#pragma once
#include "core/code/framepointer.h"
#include "core/code/go.h"
#include "core/code/rules.h"

#define START_WORDS 8 /* of the frame of a function that calls main() and does not return, at most */

/*
 * Does m->code show where a stack begins: and $-16,%rsp; call, as only _start does; or the call of a thread's first function in
 * musl's __clone()?
 */
static INLINE bool is_start(const struct machine *m)
{
	return (m->code[0] == 0x83 && m->code[1] == 0xe4 && m->code[2] == 0xf0 && m->code[3] == 0xe8) |
	       code_is_musl_clone(m);
}

/* Find the word of the stack that returns to there: its number + 1, to m->scratch.nr. */
TURN(find_start, struct machine, m)
{
	u64 ra;

	if (stack_read(m, m->sp + 8 * turn, &ra) || framepointer_code(m, ra) || !is_start(m))
		return NEXT;
	m->pc = ra;
	m->scratch.nr = turn + 1;
	return STOP;
}

/* From what calls main(), or a thread's first function, to what began the stack. */
static INLINE int go_to_start(struct machine *m)
{
	if (m->rule == RULE_FCONTEXT)
		return -ESRCH;
	m->scratch.nr = 0;
	loop(START_WORDS, find_start, m);
	m->sp += 8ULL * m->scratch.nr;
	return m->scratch.nr ? 0 : -ENOENT;
}

/* Go to where the function at return address m->pc came from, by @kind, not 0. Returns as go_switch(). */
static INLINE int switch_stack(struct machine *m, u32 kind)
{
	if (kind == START)
		return go_to_start(m);
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
