/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwound thread at one frame: its stack, and its registers as far as they are known.
 *
 * A register is known, or known to be saved at an address (lazy: most are never needed), or lost (invalid).
 */
#pragma once
#include "core/port.h"
#include "core/reader.h"
#include "core/row.h"
#include "core/way.h"

#define STACK_WINDOW PAGE_BYTES
#define SCRATCH_WORDS 16

/*
 * The piece of stack that was read last: from some word to the end of its page, so that no other page has to be
 * present.
 */
struct stack_window {
	u64 base;
	u32 len;
	u64 word[STACK_WINDOW / 8];
};

/* Working space of expr.c and of what looks at code. It belongs to the function that runs: a call may overwrite it. */
struct scratch {
	u32 error;
	u32 nr; /* of the words of an expression's stack; or another small number */
	u64 word[SCRATCH_WORDS];
	u64 end;
	struct reader in; /* @in.window: also for code */
};

struct machine {
	u64 pc, sp, cfa;
	u32 pc_is_exact;   /* pc is the interrupted instruction, not a return address */
	u32 lazy, invalid; /* bit per register */
	u32 compat;	   /* 4 for a 32-bit task, the bytes by which its words are shorter; else 0 */
	u32 class;	   /* enum class of this frame's file */
	u32 fp_steps, signal_frames, expressions;
	u32 work;    /* done so far and not counted elsewhere: see walk_work() */
	u32 rule;    /* the enum rule_id of core/code/rules.h that was applied last */
	u32 refused; /* code of this frame could not be read now (-EACCES): what was not found in it says nothing */
	u64 detail;
	u64 beyond; /* a mask of the bits that a word does not have */
	u64 reg[NR_REGS];
	struct row row; /* how to leave this frame */
	u64 hdr;	/* rows hold expressions as distances from here */
	u64 ra_at;	/* the address of this frame's return address; 0: it is not in memory */
	struct stack_window stack;
	u64 word;      /* the result of stack_word() and machine_word() */
	u64 stack_end; /* of a copy of the stack, whose last page is not whole: no window reaches beyond; else ~0 */

	/* Not last: as far as the verifier knows, 16 bytes of the scratch's window, and the code, may end behind it. */
	u64 code_at; /* code[] is the code around this return address: 8 bytes before it and 16 behind */
	u8 code[24];
	u64 value[ROW_SLOTS]; /* the results of the row's expressions */
	struct way_out way_out;
	struct scratch scratch;
	u64 bare_at;	 /* a return address in a function that has not set up its frame */
	u64 callback_sp; /* where the next outer call from C to Go left C's stack; 0: the thread's g has it */
};

/*
 * machine.c: read the word at @addr through the window, or the value of a register, to m->word. Not to a variable of the
 * caller: 6.18's verifier fails ("verifier bug: stack slot 0") when it has to follow a value back into a helper that
 * wrote it there. As stack_read() and machine_reg().
 */
GLOBAL int stack_word(struct machine *m NONNULL, u64 addr);
GLOBAL int machine_word(struct machine *m NONNULL, u32 reg);

static INLINE u64 word_bytes(const struct machine *m)
{
	return 8 - (m->compat & 4);
}

/* Return @val without the bits that a word does not have. */
static INLINE u64 word_trim(const struct machine *m, u64 val)
{
	return val & ~m->beyond;
}

/* Return the word at @addr from @pair, the aligned eight bytes that contain it. */
static INLINE u64 word_in(const struct machine *m, u64 addr, u64 pair)
{
	return word_trim(m, pair >> (addr & 4) * 8);
}

/* Get the aligned eight bytes that contain the word at @addr, if the window has them. */
static INLINE bool stack_peek_pair(struct machine *m, u64 addr, u64 *ret)
{
	u64 off = addr - m->stack.base;

	if (off >= m->stack.len || off & (7 - m->compat))
		return false;
	*ret = at(m->stack.word, off / 8 % COUNT(m->stack.word));
	return true;
}

/* Get the word at @addr, if the window has it. */
static INLINE bool stack_peek(struct machine *m, u64 addr, u64 *ret)
{
	if (!stack_peek_pair(m, addr, ret))
		return false;
	*ret = word_in(m, addr, *ret);
	return true;
}

/* Read the word at @addr through the window. Returns 0, -EFAULT or -EACCES. */
static INLINE int stack_read(struct machine *m, u64 addr, u64 *ret)
{
	int err = stack_word(m, addr);

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
 * Get the value of a register. Returns 0; -EFAULT: it is lost, or its place is not mapped; -EACCES: that page is not
 * safe to wait for.
 */
static INLINE int machine_reg(struct machine *m, u32 reg, u64 *ret)
{
	int err = machine_word(m, reg);

	if (!err)
		*ret = m->word;
	return err;
}

/* Note that register @reg is saved on the stack, at @addr. */
static INLINE void lies_at(struct machine *m, u32 reg, u64 addr)
{
	m->reg[reg] = addr;
	m->lazy |= 1u << reg;
	m->invalid &= ~(1u << reg);
}

/* Note that register @reg has the value @val. */
static INLINE void holds(struct machine *m, u32 reg, u64 val)
{
	m->reg[reg] = val;
	m->lazy &= ~(1u << reg);
	m->invalid &= ~(1u << reg);
}

/* Add to m->row a rule for the register in @slot: @rule and @off, from the CFA. */
static INLINE void row_saves(struct machine *m, u32 slot, u8 rule, s32 off)
{
	at(m->row.rule, slot) = rule;
	at(m->row.off, slot) = off;
	m->row.saved |= 1 << slot;
}

/* Does @cfa lie above the stack pointer? That of a frame does, unless its function has pushed nothing, not even a return
 * address. */
static INLINE bool cfa_leads_up(const struct machine *m, u64 cfa)
{
	return cfa > m->sp || (RA_IN_A_REGISTER && cfa == m->sp && m->pc_is_exact);
}

/* Is m->sp no more than a lower bound, as the frame before was left by its frame pointer? */
static INLINE bool sp_is_lost(const struct machine *m)
{
	return SP_MAY_BE_LOST && m->invalid >> REG_SP & 1;
}

/* The stack pointer is known from here on. */
static INLINE void sp_is_known(struct machine *m)
{
	m->invalid &= ~((u32)SP_MAY_BE_LOST << REG_SP);
}

#include "core/arch/machine.h"
