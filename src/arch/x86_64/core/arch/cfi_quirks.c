/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How to leave a frame where CFI is known to be wrong, as it is in places in hand-written assembly. All but the first of these
 * is about the innermost frame.
 *
 * - A function that has begun to land in the frame of an exception's handler has lost its caller's registers, and then its
 *   caller (eh_return.h).
 * - At a `ret` the return address is at rsp, whatever CFI says. OpenSSL's x25519_fe51_mul() ends with such a quirk.
 * - Where CFI says that a function has pushed nothing, the rules `cfi` of rules.txt may know better.
 * - One FDE covers all of LuaJIT's interpreter, and describes one frame; but some of its code is called by the rest. If
 *   the word at rsp is a return address within that FDE, behind a call to a place shortly before the PC, but not to
 *   where the FDE begins, it is the return address.
 * - In 32-bit code, if the return address of CFI is not in the stack, or does not follow a call, it is the next word of
 *   the stack that does. In libc.so.6 of i386 CFI is wrong in memcpy(), memcmp(), strcasecmp(), wcsrchr() and others,
 *   in most from their first `ret` on: they push up to three registers, and some put data on top. They may be in the
 *   call by which they learn their own address.
 *
 * All but the rules stay here, since they compare words of the stack with calls in the code.
 */
#include "core/arch/eh_return.h"
#include "core/arch/rule_row.h"
#include "core/arch/signal_frame.h"
#include "core/code/cfi_quirks.h"
#include "core/code/framepointer.h"
#include "core/code/rules.h"

#define WORDS 10 /* of the stack that are looked at */
#define NOWHERE (~0u)
#define MANY_ROUTINES 4096 /* bytes of code that an FDE of many routines has at least */
#define SUBROUTINE 256	   /* the longest of these routines */

/*
 * Return the rule `cfi` that is true @distance bytes behind the start of a function whose first 16 bytes are in
 * m->scratch.word, or 0.
 */
GLOBAL u32 cfi_rule(struct machine *m NONNULL, u32 distance)
{
	struct code here = {{m->scratch.word[0], m->scratch.word[1]}};
	u64 rule = 0;

	UNROLL
	for (u32 i = 0; i < NR_CFI_RULES; i++) {
		const struct cfi_rule *r = &cfi_rules[i];

		rule |= r->rule & fits(&here, &r->code, &r->mask) & ~is_less(distance, r->from) &
			is_less(distance, r->to);
	}
	return rule;
}

GLOBAL bool cfi_landing(struct machine *m NONNULL, u64 start)
{
	return row_of_landing(m, start);
}

/* Where CFI says that nothing was pushed, is the function one of the rules, and has it? */
static INLINE bool has_pushed(struct machine *m, u64 start)
{
	u64 distance = m->pc - start;
	u32 rule;

	if (m->compat || distance >= CFI_RULE_BYTES || m->row.cfa_reg != RSP || m->row.cfa_off != 8 ||
	    port_read(m->scratch.word, sizeof(struct code), start))
		return false;
	rule = cfi_rule(m, distance);
	if (rule)
		rule_row(m, rule);
	return rule;
}

/* Does the word at @addr of the stack follow a call? It goes to scratch.word[0], the code around it to m->code. */
static INLINE bool is_return_address(struct machine *m, u64 addr)
{
	u64 word;

	if (stack_read(m, addr, &word))
		return false;
	m->scratch.word[0] = word;
	return !framepointer_code(m, word) && follows_call(m->code);
}

/*
 * Does the return address that was read last follow a call within the @size bytes from @start, to shortly before m->pc?
 */
static INLINE bool is_subroutine(struct machine *m, u64 start, u64 size)
{
	u64 ra = m->scratch.word[0], to = call_target(m->code, ra);

	return !m->compat & (size >= MANY_ROUTINES) & (ra - start < size) & (to > start) & (m->pc - to < SUBROUTINE);
}

/* Find the first word of the stack, from number scratch.word[1] on, that follows a call: its number, to scratch.nr. */
TURN(find_return, struct machine, m)
{
	u32 word = m->scratch.word[1] + turn;

	if (!is_return_address(m, m->sp + word * word_bytes(m)))
		return NEXT;
	m->scratch.nr = word;
	return STOP;
}

/* After sub $bytes,%esp: how many words were just reserved. They still contain what other calls left there. */
static INLINE u32 words_reserved(struct machine *m)
{
	u32 is = !framepointer_code(m, m->pc) ? code_is_reserves_32(m) : 0;

	m->rule = is * RULE_RESERVES_32;
	return is * m->code[7] / 4;
}

static INLINE bool is_at_ret(struct machine *m)
{
	return !framepointer_code(m, m->pc) && (code_is_ret(m) | code_is_rep_ret(m));
}

/* Signal handlers return to code that does not follow a call. */
static INLINE bool ends_handler(struct machine *m)
{
	m->rule = rule_id(signal_rule(m));
	return m->rule;
}

/*
 * Is it the call by which 32-bit code learns its own address, of mov (%esp),%reg; ret? Then it is treated as innermost.
 */
static INLINE bool asks_where(struct machine *m)
{
	if (!m->compat || framepointer_code(m, m->pc) || m->code[3] != 0xe8)
		return false;
	m->code_at = 0;
	return !port_read(m->code + 8, 4, (u32)(m->pc + *(const u32 *)(m->code + 4))) && code_is_pc_thunk_32(m);
}

/* If the return address of 32-bit code is not where the row says, but at another word of the stack, correct the row. */
static INLINE bool is_elsewhere(struct machine *m)
{
	u8 rbp = m->row.rule[SLOT_RBP];

	memset(m->code, 0, sizeof(m->code)); /* nothing was read yet */
	if (m->row.cfa_reg != RSP ||
	    (m->row.cfa_off >= 4 && (is_return_address(m, m->sp + m->row.cfa_off - 4) || ends_handler(m))))
		return false;
	m->scratch.nr = NOWHERE;
	m->scratch.word[1] = words_reserved(m);
	loop(WORDS, find_return, m);
	if (m->scratch.nr == NOWHERE)
		return false;
	row_ra_at_sp(m, 4 * m->scratch.nr);
	row_saves(m, SLOT_RBX, RULE_UNDEFINED, 0);
	row_saves(m, SLOT_R12, RULE_UNDEFINED, 0);
	row_saves(m, SLOT_R13, RULE_UNDEFINED, 0);
	if (rbp != RULE_SAME)
		row_saves(m, SLOT_RBP, RULE_UNDEFINED, 0);
	return true;
}

GLOBAL u32 cfi_fixup(struct machine *m NONNULL, u64 start, u64 size)
{
	const struct row *row = &m->row;
	enum cfi_quirk quirk = NO_QUIRK;
	bool subroutine;

	if (cfi_landing(m, start))
		return QUIRK_BY_STACK;
	if (!(m->pc_is_exact || asks_where(m)) || row->cfa_kind != CFA_REG || row->rule[SLOT_RA] != RULE_OFFSET ||
	    row->flags)
		return NO_QUIRK;
	if ((row->cfa_reg != RSP || row->cfa_off != (s32)word_bytes(m)) && m->pc_is_exact &&
	    is_return_address(m, m->sp)) {
		subroutine = is_subroutine(m, start, size);
		if (subroutine || is_at_ret(m))
			quirk = subroutine ? QUIRK_BY_STACK : QUIRK_BY_CODE;
	}
	if (quirk)
		row_ra_at_sp(m, 0);
	else if (m->compat)
		quirk = is_elsewhere(m) ? QUIRK_BY_STACK : NO_QUIRK;
	else
		quirk = has_pushed(m, start) ? QUIRK_BY_CODE : NO_QUIRK;
	if (quirk)
		m->row.flags = ROW_GUESS;
	return verifier_forget(m->scratch.error, quirk);
}
