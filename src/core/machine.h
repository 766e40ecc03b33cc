/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwound thread at one frame: its registers as far as they are known, and its stack.
 *
 * A register is known, or known to lie at an address (lazy: most are never asked for), or lost (invalid).
 */
#pragma once
#include "core/port.h"
#include "core/reader.h"
#include "core/regs.h"

#define STACK_WINDOW PAGE_BYTES
#define EXPR_DEPTH 16

/* What was read of the stack last: from some word to the end of its page, so that no other page need be there. */
struct stack_window {
	u64 base;
	u32 len;
	u64 word[STACK_WINDOW / 8];
};

struct machine {
	u64 pc, sp, cfa;
	u32 pc_is_exact;   /* pc is where it was interrupted, not a return address */
	u32 lazy, invalid; /* bit per register */
	u32 compat;	   /* a 32-bit task: 4, the bytes that its words are shorter; else 0 */
	u32 class;	   /* of this frame's file */
	u32 fp_steps, signal_frames, expressions;
	u32 work; /* done so far, that is not counted elsewhere: walk_work() */
	u64 detail;
	u64 beyond; /* the bits that a word does not have */
	u64 reg[NR_REGS];
	struct row row; /* how to leave this frame */
	u64 hdr;	/* expressions are told by their distance from here */
	u64 ra_at;	/* where this frame's return address lies; 0: in no memory */
	struct stack_window stack;
	u64 word; /* what stack_read_slow() read */

	/* working space of expr.c, code bytes for framepointer.c */
	u32 error, depth;
	u64 value[NR_SLOTS]; /* results of the row's expressions */
	u64 operand[EXPR_DEPTH];
	u64 end;
	struct reader in;
	u64 bare_at;	 /* the return address at which there is no frame yet */
	u64 callback_sp; /* where Go that was called from C has left C's stack; 0: not known yet */
	u64 code_at;	 /* the return address that code[] is around: 8 bytes before it and 16 behind */
	u8 code[24];
};

/*
 * machine.c: move the window, then read, to m->word. Not to the caller's stack: 6.18's verifier loses its way
 * ("verifier bug: stack slot 0") when it has to follow a value back into a helper that wrote it there.
 */
CORE int stack_read_slow(struct machine *m, u64 addr);

static INLINE u64 word_bytes(const struct machine *m)
{
	return 8 - (m->compat & 4);
}

/* As many bits of @val as a word has. */
static INLINE u64 word_trim(const struct machine *m, u64 val)
{
	return val & ~m->beyond;
}

/* The word at @addr, of which @pair is the eight bytes that it is in. */
static INLINE u64 word_in(const struct machine *m, u64 addr, u64 pair)
{
	return word_trim(m, pair >> (addr & 4) * 8);
}

/* The eight bytes, at a multiple of eight, that hold the word at @addr, if the window has them. */
static INLINE bool stack_peek_pair(struct machine *m, u64 addr, u64 *ret)
{
	u64 off = addr - m->stack.base;

	if (off >= m->stack.len || off & (7 - m->compat))
		return false;
	*ret = at(m->stack.word, off / 8 % COUNT(m->stack.word));
	return true;
}

/* The word at @addr, if the window holds it. */
static INLINE bool stack_peek(struct machine *m, u64 addr, u64 *ret)
{
	if (!stack_peek_pair(m, addr, ret))
		return false;
	*ret = word_in(m, addr, *ret);
	return true;
}

/* The word at @addr, through the window. 0, -EFAULT or -EACCES. */
static INLINE int stack_read(struct machine *m, u64 addr, u64 *ret)
{
	int err;

	if (stack_peek(m, addr, ret))
		return 0;
	err = stack_read_slow(m, addr);
	if (!err)
		*ret = m->word;
	return err;
}

static INLINE void stack_forget(struct machine *m)
{
	m->stack.base = 0;
	m->stack.len = 0;
}

/*
 * The registers that a call leaves behind changed. On i386 not ecx: where gcc has the CFA in it, only code is called
 * that leaves it as it is.
 */
static INLINE u32 lost_in_call(const struct machine *m)
{
	return CALLER_SAVED & ~(m->compat / 4 << RCX);
}

/* The value of a register. 0; -EFAULT: lost, or where it lies is not mapped; -EACCES. */
static INLINE int machine_reg(struct machine *m, u32 reg, u64 *ret)
{
	int err;

	reg &= NR_REGS - 1;
	if (m->invalid >> reg & 1)
		return -EFAULT;
	if (!(m->lazy >> reg & 1)) {
		*ret = at(m->reg, reg);
		return 0;
	}
	err = stack_read(m, at(m->reg, reg), ret);
	if (err)
		return err;
	at(m->reg, reg) = *ret;
	m->lazy &= ~(1u << reg);
	return 0;
}

/* Register @reg lies in the stack, at @addr. */
static INLINE void lies_at(struct machine *m, u32 reg, u64 addr)
{
	m->reg[reg] = addr;
	m->lazy |= 1u << reg;
	m->invalid &= ~(1u << reg);
}

/* Register @reg is @val. */
static INLINE void holds(struct machine *m, u32 reg, u64 val)
{
	m->reg[reg] = val;
	m->lazy &= ~(1u << reg);
	m->invalid &= ~(1u << reg);
}

/* m->row: the return address lies @bytes above rsp. All else is as it was for the caller. */
static INLINE void row_ra_at_sp(struct machine *m, u64 bytes)
{
	memset(&m->row, 0, sizeof(m->row));
	m->row.cfa_kind = CFA_REG;
	m->row.cfa_reg = RSP;
	m->row.cfa_off = bytes + word_bytes(m);
	m->row.rule[SLOT_RA] = RULE_OFFSET;
	m->row.off[SLOT_RA] = -word_bytes(m);
}

/* And the register in @slot is not: @rule and @off, from the CFA, say what became of it. */
static INLINE void row_saves(struct machine *m, u32 slot, u8 rule, s32 off)
{
	m->row.rule[slot] = rule;
	m->row.off[slot] = off;
	m->row.saved |= 1 << slot;
}

/* syscall, or int $0x80 */
static INLINE bool is_system_call(const struct machine *m, const u8 *code)
{
	return m->compat ? code[0] == 0xcd && code[1] == 0x80 : code[0] == 0x0f && code[1] == 0x05;
}

/* expr.c: evaluate the CFA's and the registers' expressions, to m->cfa and m->value[]. 0 or an enum outcome. */
CORE u32 expr_row(struct machine *m);

/* apply.c: leave the frame by m->row. 0 or an enum outcome. */
CORE u32 apply_row(struct machine *m);

/* framepointer.c: leave the frame by rbp. 0, -EFAULT or -EACCES. */
CORE int framepointer_step(struct machine *m);

/*
 * go.c: what Go has beside frame pointers. Is this where a goroutine or a thread begins? And does the frame's function
 * go over to another stack? Then the frame is left to where it came from: 0, -EFAULT or -EACCES; -ENOENT: it is none
 * such; -ESRCH: it is, and nobody called it.
 */
CORE bool go_is_outermost(const struct machine *m);
CORE int go_switch(struct machine *m);
GLOBAL u32 go_kind(struct machine *m NONNULL); /* parts of it, verified once */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind);
GLOBAL int go_resume(struct machine *m NONNULL);
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra);

/*
 * code_rules.c: code without CFI that is known by its bytes, at @pc exactly. @known: what else is known of it. Makes
 * m->row; 0 or -ENOENT.
 */
enum { CODE_RULE_NO_ELF = 4 };
CORE int code_rule_row(struct machine *m, u64 pc, u32 known);
GLOBAL u64 code_rule_pushed(struct machine *m NONNULL, u32 low); /* a part of it, verified once */

/*
 * cfi_quirks.c: is m->row known to be wrong, in the @size bytes of code from @start? By the code, which is the same in
 * all processes, or by this stack? Then it becomes right.
 */
enum cfi_quirk { NO_QUIRK, QUIRK_BY_CODE, QUIRK_BY_STACK };
CORE enum cfi_quirk cfi_fixup(struct machine *m, u64 start, u64 size);

/* framepointer.c: the code around the return address @pc, to m->code. 0, -EFAULT or -EACCES. */
CORE int framepointer_code(struct machine *m, u64 pc);

/* framepointer.c: is m->pc behind a call? Is what lies at m->sp? */
CORE bool framepointer_is_called(struct machine *m);
CORE bool framepointer_is_bare(struct machine *m);

/*
 * framepointer.c: code that no FDE covers: has the thread just been born? clone3() returns to such an instruction; and
 * makecontext() lets its function return to the first instruction of another.
 */
CORE bool framepointer_thread_start(struct machine *m);
