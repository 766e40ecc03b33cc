/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prologues, epilogues and PLTs by their code. No rules of rules.txt: by how much sp is lowered is in the instructions, and
 * what is between them is any; and PLT0, which lowers sp, goes on as any other stub.
 *
 * A prologue is: stp x29,x30,[sp,#-N]!, or sub sp,sp,#N, or Go's str x30,[sp,#-N]!, is not far behind, and the setting of
 * x29 not far ahead, with no branch between. x30 has the return address as long as nothing was called.
 */
#pragma once
#include "core/arch/rule_row.h"
#include "core/code/code_rules.h"
#include "core/code/rules.h"

#define PROLOGUE 8 /* instructions from the first to the one that sets x29, at most */
#define MOST_WORDS 255

/* The instruction @nr instructions behind the PC, in scratch.in.window. */
static INLINE u32 instruction_at(const struct machine *m, u32 nr)
{
	return instruction(&at(m->scratch.in.window, CODE_BEFORE + 4 * nr));
}

/* b, bl, b.cond, cbz, tbz, br, blr, ret and so on (Arm ARM C4.1.65, branches and system instructions, not the latter) */
static INLINE bool is_branch(u32 code)
{
	return (code & 0x7c000000) == 0x14000000 || (code & 0x7c000000) == 0x34000000 ||
	       (code & 0xfe000000) == 0x54000000 || (code & 0xfe000000) == 0xd6000000;
}

/* By how many words does the instruction lower sp in a prologue? 0: it is none of those. */
static INLINE u32 words_lowered(u32 code)
{
	if ((code & 0xffe07fff) == 0xa9a07bfd) /* stp x29,x30,[sp,#-N]! */
		return 64 - (code >> 15 & 63);
	if ((code & 0xfff00fff) == 0xf8100ffe) /* str x30,[sp,#-N]! */
		return (512 - (code >> 12 & 511)) / 8;
	if ((code & 0xffc003ff) == 0xd10003ff) /* sub sp,sp,#N */
		return (code >> 10 & 0xfff) / 8;
	return 0;
}

/* Look back: by how many words has sp been lowered? To scratch.word[0]. STOP: no further. */
TURN(look_back, struct machine, m)
{
	u32 code = instruction_at(m, -1 - turn);

	if (sets_fp(code))
		m->scratch.word[0] = MOST_WORDS + 1;
	if (sets_fp(code) || is_branch(code))
		return STOP;
	m->scratch.word[0] += words_lowered(code);
	return NEXT;
}

/* Look ahead: is x29 still to be set? To scratch.word[1]. STOP: no further. */
TURN(look_ahead, struct machine, m)
{
	u32 code = instruction_at(m, turn);

	m->scratch.word[1] = sets_fp(code);
	return sets_fp(code) || is_branch(code) ? STOP : NEXT;
}

/* Is it the second or a later instruction of a prologue? Return the rule for it, or 0. */
static INLINE u32 frame_rule(struct machine *m)
{
	u64 words;

	m->scratch.word[0] = m->scratch.word[1] = 0;
	loop(PROLOGUE, look_back, m);
	loop(PROLOGUE, look_ahead, m);
	words = m->scratch.word[0];
	return m->scratch.word[1] && words - 1 < MOST_WORDS ? RULE((u32)words, 0, 0, NO_SWITCH, RULE_PROLOGUE) : 0;
}

#define PUSH_PLT0 0xa9bf7bf0 /* stp x16,x30,[sp,#-16]! */

/* Does a stub of a PLT begin @back instructions before the PC: adrp x16; ldr x17,[x16]; add x16,x16; br x17? */
static INLINE bool is_stub(const struct machine *m, u32 back)
{
	return (instruction_at(m, -back) & 0x9f00001f) == 0x90000010 &&
	       (instruction_at(m, 1 - back) & 0xffc003ff) == 0xf9400211 &&
	       (instruction_at(m, 2 - back) & 0xffc003ff) == 0x91000210 && instruction_at(m, 3 - back) == 0xd61f0220;
}

/* In m->scratch.nr are the lowest bits of the PC; in a PLT, at which it is looked here, they are 0. */
static INLINE u32 plt_rule(struct machine *m)
{
	for (u32 back = 0; back < 4; back++)
		if (is_stub(m, back)) /* in PLT0 behind stp x16,x30,[sp,#-16]! */
			return RULE(instruction_at(m, -1 - back) == PUSH_PLT0 ? 2 : 0, 0, 0, NO_SWITCH, RULE_PLT);
	return instruction_at(m, 0) == PUSH_PLT0 ? RULE(0, 0, 0, NO_SWITCH, RULE_PLT) : 0;
}

/* Is what gives up the frame all that is left of the function: add sp,sp,#N; perhaps autiasp; ret? Return the rule for it, or 0. */
static INLINE u32 epilogue_rule(const struct machine *m)
{
	u32 code = instruction_at(m, 0), next = instruction_at(m, 1), words = (code >> 10 & 0xfff) / 8;

	if ((next & ~0x40u) == 0xd50323bf) /* autiasp, autibsp */
		next = instruction_at(m, 2);
	if ((code & 0xffc003ff) != 0x910003ff || (next != 0xd65f03c0 && (next & ~0x400u) != 0xd65f0bff))
		return 0;
	return words - 1 < MOST_WORDS ? RULE(words, 0, 0, NO_SWITCH, RULE_EPILOGUE) : 0;
}

/* Is it a prologue, an epilogue, or a stub of a PLT? Return the rule for it, or 0. */
static INLINE u32 prologue_rule(struct machine *m)
{
	u32 rule;

	if (!m->pc_is_exact)
		return 0;
	rule = m->scratch.nr & CODE_RULE_NO_ELF ? 0 : plt_rule(m);
	rule = rule ? rule : epilogue_rule(m);
	return rule ? rule : frame_rule(m);
}
