/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How to leave the innermost frame where CFI is known to be wrong, as it is in places in hand-written assembly.
 *
 * - At a `ret` the return address is at rsp, whatever CFI says. OpenSSL's x25519_fe51_mul() ends with such a quirk.
 * - The CFI of glibc's mpn_addmul_1() and mpn_submul_1(), which printf("%f") needs, describes neither of their two
 *   pushes. Both begin with the same 16 bytes.
 * - One FDE covers all of LuaJIT's interpreter, and describes one frame; but some of its code is called by the rest. If
 *   the word at rsp is a return address within that FDE, behind a call to a place shortly before the PC, but not to
 *   where the FDE begins, it is the return address.
 * - In 32-bit code, if the return address of CFI is not in the stack, or does not follow a call, it is the next word of
 *   the stack that does. In libc.so.6 of i386 CFI is wrong in memcpy(), memcmp(), strcasecmp(), wcsrchr() and others,
 *   in most from their first `ret` on: they push up to three registers, and some put data on top. They may be in the
 *   call by which they learn their own address.
 */
#include "core/code/framepointer.h"
#include "core/machine.h"

#define WORDS 10 /* of the stack that are looked at */
#define NOWHERE (~0u)
#define MANY_ROUTINES 4096 /* bytes of code that an FDE of many routines has at least */
#define SUBROUTINE 256	   /* the longest of these routines */
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

/* Does the word at @addr of the stack follow a call? The word goes to m->operand[0], the code around it to m->code. */
static INLINE bool is_return_address(struct machine *m, u64 addr)
{
	u64 word;

	if (stack_read(m, addr, &word))
		return false;
	m->operand[0] = word;
	return !framepointer_code(m, word) && follows_call(m->code);
}

/*
 * Does the return address that was read last follow a call within the @size bytes from @start, to shortly before m->pc?
 */
static INLINE bool is_subroutine(struct machine *m, u64 start, u64 size)
{
	u64 ra = m->operand[0], to = call_target(m->code, ra);

	return !m->compat & (size >= MANY_ROUTINES) & (ra - start < size) & (to > start) & (m->pc - to < SUBROUTINE);
}

/* Find the first word of the stack, from number m->operand[1] on, that follows a call: its number goes to m->depth. */
TURN(find_return, struct machine, m)
{
	u32 word = m->operand[1] + turn;

	if (!is_return_address(m, m->sp + word * word_bytes(m)))
		return NEXT;
	m->depth = word;
	return STOP;
}

/* After sub $bytes,%esp: how many words were just reserved. They still contain what other calls left there. */
static INLINE u32 words_reserved(struct machine *m)
{
	bool is = !framepointer_code(m, m->pc) && m->code[5] == 0x83 && m->code[6] == 0xec;

	return is ? m->code[7] / 4 : 0;
}

static INLINE bool is_ret(struct machine *m)
{
	return !framepointer_code(m, m->pc) && m->code[8 + (m->code[8] == 0xf3)] == 0xc3;
}

/*
 * Signal handlers return to code that does not follow a call: pop %eax; mov $sigreturn,%eax or mov $rt_sigreturn,%eax
 */
static INLINE bool ends_handler(const u8 *code)
{
	return (code[8] == 0x58 && code[9] == 0xb8 && code[10] == 119) || (code[8] == 0xb8 && code[9] == 173);
}

/*
 * Is it the call by which 32-bit code learns its own address, of mov (%esp),%reg; ret? Then it is treated as innermost.
 */
static INLINE bool asks_where(struct machine *m)
{
	m->operand[0] = 0;
	if (!m->compat || framepointer_code(m, m->pc) || m->code[3] != 0xe8 ||
	    port_read(m->operand, 4, (u32)(m->pc + *(const u32 *)(m->code + 4))))
		return false;
	return (m->operand[0] & 0xffffc7ff) == 0xc324048b;
}

/* If the return address of 32-bit code is not where the row says, but at another word of the stack, correct the row. */
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
