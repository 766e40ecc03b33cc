/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code without CFI that is known by its bytes: PLTs, what crti.o and crtbegin.o bring into each program and library,
 * and the first and last instructions of any function, where the frame pointer is not yet, or no longer, its own. None
 * has a frame, apart from a word or two that it saves.
 *
 * The evidence: the rules `at` and `function` of rules.txt, which are instructions that follow each other only there,
 * and functions by their first 16 bytes; and prologues, which the architecture knows (core/arch/prologue.h). And the row
 * is a guess: the return address that it leads to must follow a call.
 */
#include "core/arch/prologue.h"
#include "core/code/code_rules.h"
#include "core/code/rules.h"

static INLINE const struct code *code_at(struct machine *m, u32 distance)
{
	return (const struct code *)&at(m->scratch.in.window, CODE_BEFORE - distance);
}

/*
 * Find the nearest of the functions that begins up to CODE_BEFORE bytes before the PC: its rule goes to m->word.
 * Functions begin at multiples of 4. Up to the | of the rule, nothing is pushed.
 */
TURN(find_function, struct machine, m)
{
	const struct function_rule *f = &at(function_rules, turn % COUNT(function_rules));
	u32 distance = 4 * (turn / COUNT(function_rules)) + (m->scratch.nr & 3);
	struct code here = *code_at(m, distance);
	u64 is = fits(&here, &f->code, &f->mask) & is_less(distance, f->bytes);
	u64 before = is_less(distance, f->from);

	m->word |= is & ((f->rule & ~(before & RULE_SAYS)) | (before & RULE_ENTRY));
	return m->word ? STOP : NEXT;
}

/* Is it this instruction? Then its rule goes to m->word: instructions override functions. */
TURN(find_instruction, struct machine, m)
{
	const struct at_rule *r = &at(at_rules, turn);
	struct code here = *code_at(m, RULE_BYTES_BEFORE);
	u64 is = fits(&here, &r->code, &r->mask);

	m->word = (m->word & ~is) | (is & r->rule);
	return NEXT;
}

/*
 * Return the rule for the code in scratch.in.window, or 0. The PC is at CODE_BEFORE there, and its address ends in the
 * bits @low. With CODE_RULE_NO_ELF in @low only what occurs in all code counts: a JIT compiler's `push $; jmp` does not
 * come from a linker.
 */
GLOBAL u64 code_rule(struct machine *m NONNULL, u32 low)
{
	m->scratch.nr = low;
	m->word = prologue_rule(m);
	if (!(low & CODE_RULE_NO_ELF) && !m->word)
		loop(CODE_BEFORE / 4 * COUNT(function_rules), find_function, m);
	loop(low & CODE_RULE_NO_ELF ? NR_AT_ANY : NR_AT_RULES, find_instruction, m);
	return m->word;
}

GLOBAL int code_rule_row(struct machine *m NONNULL, u64 pc, u32 known)
{
	const u8 *code = m->scratch.in.window + CODE_BEFORE;
	u64 rule;

	if (port_read(m->scratch.in.window, CODE_BEFORE + CODE_BEHIND, pc - CODE_BEFORE))
		return -ENOENT;
	rule = code_rule(m, (pc & 3) | known);
	if (rule && rule_applies(m, rule)) {
		rule_row(m, rule);
		return 0;
	}
	if (!m->pc_is_exact || !is_system_call(m, code - SYSCALL_BYTES))
		return -ENOENT;
	/* clone3(): back from the system call, without a frame. If the thread is new, it has no caller. */
	row_of_entry(m, 0);
	m->row.flags = ROW_GUESS | ROW_FRAME_POINTER;
	return 0;
}
