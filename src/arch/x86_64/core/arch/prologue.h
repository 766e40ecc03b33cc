/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prologues by their code: `mov %rsp,%rbp` that is still to come, with or without the `push %rbp` before it. No rule of
 * rules.txt, as the instructions between push and mov are any, and of any length.
 */
#pragma once
#include "core/arch/rule_row.h"
#include "core/code/code_rules.h"
#include "core/code/rules.h"

#define PROLOGUE 32 /* from push %rbp to mov %rsp,%rbp, at most */

/* Find the nearest mov %rsp,%rbp: its distance goes to m->scratch.word[0]. */
TURN(find_mov, struct machine, m)
{
	const u8 *code = &at(m->scratch.in.window, CODE_BEFORE + turn);

	if (!m->compat && *code++ != 0x48) /* REX.W */
		return NEXT;
	if (code[0] != 0x89 || code[1] != 0xe5)
		return NEXT;
	m->scratch.word[0] = turn;
	return STOP;
}

/*
 * Is there a push %rbp between here and that mov? To scratch.word[1]. Is there one before, not too far from the mov? To
 * scratch.word[2].
 */
TURN(find_push, struct machine, m)
{
	if (turn < m->scratch.word[0] && at(m->scratch.in.window, CODE_BEFORE + turn) == 0x55)
		m->scratch.word[1] = 1;
	if (turn + m->scratch.word[0] < PROLOGUE && at(m->scratch.in.window, CODE_BEFORE - turn) == 0x55)
		m->scratch.word[2] = 1;
	return NEXT;
}

/*
 * Is it a prologue, where mov %rsp,%rbp is still to come? Return the rule for it, or 0. No prologue of 64-bit code has a
 * call, and behind a call that does not return another function begins.
 */
static INLINE u32 prologue_rule(struct machine *m)
{
	m->scratch.word[0] = PROLOGUE;
	m->scratch.word[1] = m->scratch.word[2] = 0;
	if (m->pc_is_exact | m->compat)
		loop(PROLOGUE, find_mov, m);
	if (m->scratch.word[0] == PROLOGUE)
		return 0;
	if (at(m->scratch.in.window, CODE_BEFORE) == 0x55)
		return RULE_ENTRY;
	loop(PROLOGUE, find_push, m);
	return m->scratch.word[2] && !m->scratch.word[1] ? RULE(2, 0, 2, NO_SWITCH, NO_RULE) : 0;
}
