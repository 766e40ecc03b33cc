/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that do not return to their caller, but land in a frame further up: those that end with gcc's
 * __builtin_eh_return(), which in practice are libgcc's _Unwind_RaiseException(), _Unwind_Resume(),
 * _Unwind_Resume_or_Rethrow() and _Unwind_ForcedUnwind(). Each exception ends in one of them, and so does pthread_exit().
 *
 * When such a function knows the frame in which it will land, it calls uw_install_context_1(), which copies the registers
 * of that frame, and the return address into it, over what the function itself has saved of its caller. It still calls
 * _Unwind_DebugHook(), for debuggers; then it pops what is in its frame, and goes to the handler:
 *
 *	mov %rsi,8(%rbp,%rdx)	the address of the handler, to right below the frame in which it is
 *	lea 8(%rbp,%rcx),%rcx	that place
 *	mov -56(%rbp),%rbx ...	registers of that frame
 *	mov %rcx,%rsp
 *	pop %rcx; jmp *%rcx	or ret, without -fcf-protection
 *
 * The CFI says all the while that the caller's registers are there. From the first copy on they are lost; from the last one
 * on the return address is, too. It is the caller's as long as it follows a call of this very function: what the other
 * frame has called is another.
 *
 * These places are those from which straight ahead one call at most lies before the end that no other function has; and the
 * function keeps a frame pointer, and has saved all registers, as it must.
 */
#pragma once
#include "core/code/framepointer.h"
#include "core/code/rule.h"

#define EH_RETURN_BYTES 192 /* of code from the first copy to the end; gcc 12 and 16 need up to 127 */
#define EH_RETURN_END 4	    /* bytes between the start of mov %rcx,%rsp, or its prefix, and the last instruction */
#define NEAR 16		    /* functions of one file call each other over distances of this many bits */

/* Does a call of a function near by begin with the first of these bytes? */
static INLINE bool calls_near(u64 code)
{
	s64 distance = (s32)(code >> 8);

	return (code & 0xff) == 0xe8 && (distance >> NEAR == 0 || distance >> NEAR == -1);
}

/* mov %ecx,%esp; pop %ecx; jmp *%ecx, behind its prefix if there is one; or mov %rcx,%rsp; ret */
static INLINE bool lands(u64 code)
{
	return (code & ((1ULL << 40) - 1)) == 0xe1ff59cc89 || (u32)code == 0xc3cc8948;
}

/* Look at the next byte of the code in scratch.in.window; scratch.nr counts calls. scratch.error: it lands. */
TURN(look_for_landing, struct machine, m)
{
	u64 code = ((const struct code *)&at(m->scratch.in.window, turn))->word[0];

	m->scratch.nr += calls_near(code);
	m->scratch.error = lands(code);
	return m->scratch.nr > 1 || m->scratch.error ? STOP : NEXT;
}

/* Is m->pc, where m->row holds, in a function that has begun to land? */
static INLINE bool is_landing(struct machine *m)
{
	const struct row *row = &m->row;
	u32 all = 1 << SLOT_RBX | 1 << SLOT_R12 | 1 << SLOT_R13;

	all |= m->compat ? 0 : 1 << SLOT_R14 | 1 << SLOT_R15;
	if (row->cfa_kind != CFA_REG || (row->saved & all) != all ||
	    (row->cfa_reg == RSP ? row->cfa_off > (s32)word_bytes(m) : row->cfa_reg != RBP && row->cfa_reg != RCX))
		return false;
	m->scratch.in.bounds = (struct bounds){.end = ~0ULL};
	if (reader_seek(&m->scratch.in, m->pc - EH_RETURN_END)) {
		m->refused |= m->scratch.in.end_error == -EACCES;
		return false;
	}
	m->scratch.nr = m->scratch.error = 0;
	loop(EH_RETURN_END + EH_RETURN_BYTES, look_for_landing, m);
	return m->scratch.error;
}

/* Return where the word is to which the stub at @stub jumps, whose code is in scratch.in.window; 0: it is no stub. */
static INLINE u64 got_of_stub(struct machine *m, u64 stub)
{
	u64 skip = is_zero(m->scratch.in.word[0] ^ 0xfa1e0ff3) & 4; /* endbr64 */
	const u8 *code;

	skip += is_zero(at(m->scratch.in.window, skip) ^ 0xf2) & 1; /* bnd */
	code = &at(m->scratch.in.window, skip);
	return (is_zero(code[0] ^ 0xff) & is_zero(code[1] ^ 0x25)) & (stub + skip + 6 + call_distance(code + 2));
}

/* Does @ra, whose code is in m->code, follow a call of the function at @start: directly, by a stub, or by the GOT? */
static INLINE bool follows_call_of(struct machine *m, u64 ra, u64 start)
{
	u64 to = word_trim(m, call_target(m->code, ra)), got = 0;

	if (to == start)
		return true;
	if (m->code[2] == 0xff && m->code[3] == 0x15) /* call *got(%rip) */
		got = ra + call_distance(m->code + 4);
	else if (to && !reader_seek(&m->scratch.in, to))
		got = got_of_stub(m, to);
	return got && !m->compat && !stack_word(m, got) && m->word == start;
}

/* Is the return address in the frame of m->row still that of a caller of the function at @start? */
static INLINE bool has_caller(struct machine *m, u64 start)
{
	u64 base;

	if (m->row.cfa_reg != RBP || machine_reg(m, RBP, &base) ||
	    stack_word(m, base + (s64)m->row.cfa_off - word_bytes(m)) || framepointer_code(m, m->word))
		return false;
	return follows_call_of(m, m->code_at, start);
}

/* Make m->row what is left of it in a function, which begins at @start, that has begun to land. False: it has not. */
static INLINE bool row_of_landing(struct machine *m, u64 start)
{
	u8 ra;

	if (!is_landing(m))
		return false;
	ra = has_caller(m, start) ? RULE_OFFSET : RULE_REPLACED;
	each (slot, NR_SAVED)
		row_saves(m, slot, RULE_UNDEFINED, 0);
	m->row.rule[SLOT_RA] = ra;
	m->rule = 0;
	return true;
}
