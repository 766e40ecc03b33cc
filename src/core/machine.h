/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The unwound thread at one frame: its stack, and its registers as far as they are known.
 *
 * A register is known, or known to be saved at an address (lazy: most are never needed), or lost (invalid).
 */
#pragma once
#include "core/port.h"
#include "core/reader.h"
#include "core/regs.h"

#define STACK_WINDOW PAGE_BYTES
#define EXPR_DEPTH 16

/*
 * The piece of stack that was read last: from some word to the end of its page, so that no other page has to be
 * present.
 */
struct stack_window {
	u64 base;
	u32 len;
	u64 word[STACK_WINDOW / 8];
};

struct machine {
	u64 pc, sp, cfa;
	u32 pc_is_exact;   /* pc is the interrupted instruction, not a return address */
	u32 lazy, invalid; /* bit per register */
	u32 compat;	   /* 4 for a 32-bit task, the bytes by which its words are shorter; else 0 */
	u32 class;	   /* enum class of this frame's file */
	u32 fp_steps, signal_frames, expressions;
	u32 work; /* done so far and not counted elsewhere: see walk_work() */
	u64 detail;
	u64 beyond; /* a mask of the bits that a word does not have */
	u64 reg[NR_REGS];
	struct row row; /* how to leave this frame */
	u64 hdr;	/* rows hold expressions as distances from here */
	u64 ra_at;	/* the address of this frame's return address; 0: it is not in memory */
	struct stack_window stack;
	u64 word; /* the result of stack_read_slow() */

	/* working space of expr.c, and code bytes for framepointer.c */
	u32 error, depth;
	u64 value[NR_SLOTS]; /* results of the row's expressions */
	u64 operand[EXPR_DEPTH];
	u64 end;
	struct reader in;
	u64 bare_at;	 /* a return address in a function that has not set up its frame */
	u64 callback_sp; /* where the next outer call from C to Go left C's stack; 0: the thread's g has it */
	u64 code_at;	 /* code[] is the code around this return address: 8 bytes before it and 16 behind */
	u8 code[24];
};

/*
 * machine.c: move the window to @addr, and read the word there to m->word. Not to a variable of the caller: 6.18's
 * verifier fails ("verifier bug: stack slot 0") when it has to follow a value back into a helper that wrote it there.
 * Returns 0, -EFAULT or -EACCES.
 */
CORE int stack_read_slow(struct machine *m, u64 addr);

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
 * The registers that are lost in a call. On i386 ecx is not: where gcc has the CFA in ecx, it calls only code that
 * preserves it.
 */
static INLINE u32 lost_in_call(const struct machine *m)
{
	return CALLER_SAVED & ~(m->compat / 4 << RCX);
}

/*
 * Get the value of a register. Returns 0; -EFAULT: it is lost, or its place is not mapped; -EACCES: that page is not
 * safe to wait for.
 */
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

/* Make m->row: the return address is @bytes above rsp, and all other registers are unchanged. */
static INLINE void row_ra_at_sp(struct machine *m, u64 bytes)
{
	memset(&m->row, 0, sizeof(m->row));
	m->row.cfa_kind = CFA_REG;
	m->row.cfa_reg = RSP;
	m->row.cfa_off = bytes + word_bytes(m);
	m->row.rule[SLOT_RA] = RULE_OFFSET;
	m->row.off[SLOT_RA] = -word_bytes(m);
}

/* Add to m->row a rule for the register in @slot: @rule and @off, from the CFA. */
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

/* expr.c: evaluate the CFA's and the registers' expressions, to m->cfa and m->value[]. Returns 0 or an enum outcome. */
CORE u32 expr_row(struct machine *m);

/* apply.c: go to the caller's frame by m->row. Returns 0 or an enum outcome. */
CORE u32 apply_row(struct machine *m);

/* framepointer.c: go to the caller's frame by rbp. Returns 0, -EFAULT or -EACCES. */
CORE int framepointer_step(struct machine *m);

/*
 * go.c: what frame pointers do not tell in Go. go_is_outermost(): does a goroutine or a thread begin here? go_switch():
 * if the frame's function has switched to another stack, go back to where it came from. Returns 0, -EFAULT or -EACCES;
 * -ENOENT: it is no such function; -ESRCH: it is, and it has no caller.
 */
CORE bool go_is_outermost(const struct machine *m);
CORE int go_switch(struct machine *m);
GLOBAL u32 go_kind(struct machine *m NONNULL); /* parts of it, verified once */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind);
GLOBAL int go_resume(struct machine *m NONNULL);
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra);

/*
 * code_rules.c: make m->row for code without CFI that is known by its bytes, at exactly @pc. @known: CODE_RULE_NO_ELF,
 * or 0. Returns 0 or -ENOENT.
 */
enum { CODE_RULE_NO_ELF = 4 };
CORE int code_rule_row(struct machine *m, u64 pc, u32 known);
GLOBAL u64 code_rule_pushed(struct machine *m NONNULL, u32 low); /* a part of it, verified once */

/*
 * cfi_quirks.c: correct m->row if it is known to be wrong in the function of @size bytes at @start. Returns how the
 * quirk was recognized: by the code, which is the same in all processes, or by this stack.
 */
enum cfi_quirk { NO_QUIRK, QUIRK_BY_CODE, QUIRK_BY_STACK };
CORE enum cfi_quirk cfi_fixup(struct machine *m, u64 start, u64 size);

/* framepointer.c: read the code around the return address @pc, to m->code. Returns 0, -EFAULT or -EACCES. */
CORE int framepointer_code(struct machine *m, u64 pc);

/* framepointer.c: does m->pc follow a call? Does the word at m->sp, so that the function has no frame? */
CORE bool framepointer_is_called(struct machine *m);
CORE bool framepointer_is_bare(struct machine *m);

/*
 * framepointer.c: in code that no FDE covers, has the thread just been born? clone3() returns to such an instruction;
 * and makecontext() lets its function return to the first instruction of another function.
 */
CORE bool framepointer_thread_start(struct machine *m);
