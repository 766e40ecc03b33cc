/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How is the innermost frame left where CFI is wrong, as it is here and there in what is written by hand?
 *
 * - At a `ret` the return address is at rsp, whatever CFI says. OpenSSL's x25519_fe51_mul() ends with such a quirk.
 * - The CFI of glibc's mpn_addmul_1() and mpn_submul_1(), which printf("%f") needs, knows of none of their two pushes.
 *   They begin with the same 16 bytes.
 * - One FDE covers all of LuaJIT's interpreter, and knows of one frame; but some of it is called by the rest. If at rsp
 *   lies a return address of it, behind a call to shortly before, but not to where the FDE begins, it is that.
 * - In 32-bit code: if what CFI says is not in the stack, or not behind a call, the return address is the next word of
 *   the stack that is. In libc.so.6 of i386 CFI is wrong in memcpy(), memcmp(), strcasecmp(), wcsrchr() and others, in
 *   most from their first `ret` on: they push up to three registers, and some put data on top. They may be calling what
 *   tells them where they are.
 */
#include "core/code/framepointer.h"
#include "core/machine.h"

#define WORDS 10 /* of the stack that are looked at */
#define NOWHERE (~0u)
#define MANY_ROUTINES 4096 /* bytes of an FDE's code */
#define SUBROUTINE 256	   /* the longest of them */
#define MPN_BYTES 0xea	   /* up to the last pop; each push and pop is one byte */

static const u8 mpn_code[16] = {
	0x53, 0x55, 0x48, 0x8d, 0x1a, 0x48, 0xf7, 0xdb, 0x48, 0x8b, 6, 0x4c, 0x8b, 0x17, 0x48, 0x8d,
};

/* push %rbx; push %rbp; ...; pop %rbp; pop %rbx; ret */
static INLINE bool is_mpn(struct machine *m, u64 start)
{
	const u64 *code = (const u64 *)mpn_code;
	u64 here = m->pc - start;

	if (m->compat || here - 1 >= MPN_BYTES - 1 || m->row.cfa_reg != RSP || m->row.cfa_off != 8 ||
	    port_read(m->operand, sizeof(mpn_code), start) || m->operand[0] != code[0] || m->operand[1] != code[1])
		return false;
	if (here == 1 || here == MPN_BYTES - 1) {
		row_ra_at_sp(m, 8);
	} else {
		row_ra_at_sp(m, 16);
		row_saves(m, SLOT_RBP, RULE_OFFSET, -24);
	}
	row_saves(m, SLOT_RBX, RULE_OFFSET, -16);
	return true;
}

/* Does the word at @addr of the stack, to m->operand[0], quirk behind a call? The code there, to m->code. */
static INLINE bool is_return_address(struct machine *m, u64 addr)
{
	u64 word;

	if (stack_read(m, addr, &word))
		return false;
	m->operand[0] = word;
	return !framepointer_code(m, word) && follows_call(m->code);
}

/* Is the one that was read last behind a call within the @size bytes from @start, to shortly before m->pc? */
static INLINE bool is_subroutine(struct machine *m, u64 start, u64 size)
{
	u64 ra = m->operand[0], to = call_target(m->code, ra);

	return !m->compat & (size >= MANY_ROUTINES) & (ra - start < size) & (to > start) & (m->pc - to < SUBROUTINE);
}

/* The first word from @m->operand[1] on of the stack that does: its number to m->depth. */
TURN(find_return, struct machine, m)
{
	u32 word = m->operand[1] + turn;

	if (!is_return_address(m, m->sp + word * word_bytes(m)))
		return NEXT;
	m->depth = word;
	return STOP;
}

/* After sub $bytes,%esp: the words that were just reserved. In them lies what other calls have left there. */
static INLINE u32 words_reserved(struct machine *m)
{
	bool is = !framepointer_code(m, m->pc) && m->code[5] == 0x83 && m->code[6] == 0xec;

	return is ? m->code[7] / 4 : 0;
}

static INLINE bool is_ret(struct machine *m)
{
	return !framepointer_code(m, m->pc) && m->code[8 + (m->code[8] == 0xf3)] == 0xc3;
}

/* Handlers return to where no call is: pop %eax; mov $sigreturn,%eax or mov $rt_sigreturn,%eax */
static INLINE bool ends_handler(const u8 *code)
{
	return (code[8] == 0x58 && code[9] == 0xb8 && code[10] == 119) || (code[8] == 0xb8 && code[9] == 173);
}

/* Is it the call by which 32-bit code learns where it is, of mov (%esp),%reg; ret? Then that is innermost. */
static INLINE bool asks_where(struct machine *m)
{
	m->operand[0] = 0;
	if (!m->compat || framepointer_code(m, m->pc) || m->code[3] != 0xe8 ||
	    port_read(m->operand, 4, (u32)(m->pc + *(const u32 *)(m->code + 4))))
		return false;
	return (m->operand[0] & 0xffffc7ff) == 0xc324048b;
}

/* Is the return address of 32-bit code not where the row says, but somewhere else? */
static INLINE bool is_elsewhere(struct machine *m)
{
	u8 rbp = m->row.rule[SLOT_RBP];

	m->code[8] = 0;
	if (m->row.cfa_reg != RSP ||
	    (m->row.cfa_off >= 4 && (is_return_address(m, m->sp + m->row.cfa_off - 4) || ends_handler(m->code))))
		return false;
	m->depth = NOWHERE;
	m->operand[1] = words_reserved(m);
	loop(WORDS, find_return, m);
	if (m->depth == NOWHERE)
		return false;
	row_ra_at_sp(m, 4 * m->depth);
	row_saves(m, SLOT_RBX, RULE_UNDEFINED, 0);
	row_saves(m, SLOT_R12, RULE_UNDEFINED, 0);
	row_saves(m, SLOT_R13, RULE_UNDEFINED, 0);
	if (rbp != RULE_SAME)
		row_saves(m, SLOT_RBP, RULE_UNDEFINED, 0);
	return true;
}

CORE enum cfi_quirk cfi_fixup(struct machine *m, u64 start, u64 size)
{
	const struct row *row = &m->row;
	enum cfi_quirk quirk = NO_QUIRK;
	bool subroutine;

	if (!(m->pc_is_exact || asks_where(m)) || row->cfa_kind != CFA_REG || row->rule[SLOT_RA] != RULE_OFFSET ||
	    row->flags)
		return NO_QUIRK;
	if ((row->cfa_reg != RSP || row->cfa_off != (s32)word_bytes(m)) && m->pc_is_exact &&
	    is_return_address(m, m->sp)) {
		subroutine = is_subroutine(m, start, size);
		if (subroutine || is_ret(m))
			quirk = subroutine ? QUIRK_BY_STACK : QUIRK_BY_CODE;
	}
	if (quirk)
		row_ra_at_sp(m, 0);
	else if (m->compat)
		quirk = is_elsewhere(m) ? QUIRK_BY_STACK : NO_QUIRK;
	else
		quirk = is_mpn(m, start) ? QUIRK_BY_CODE : NO_QUIRK;
	if (quirk)
		m->row.flags = ROW_GUESS;
	return verifier_forget(m->error, quirk);
}
