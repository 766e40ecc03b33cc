/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go: frame pointers lead through nearly all of its code. What they do not tell is where a goroutine begins, and where
 * the runtime goes over to another stack.
 *
 * systemstack() calls a function on the thread's own stack, without a frame of its own. Its code itself says how it
 * comes back: to the goroutine that is its thread's current one, at the stack pointer that was kept there,
 *	mov %fs:-8,%rax; mov 48(%rax),%rbx; mov CURG(%rbx),%rax; mov %rax,%fs:-8; mov 56(%rax),%rsp
 * so that is what is done here. r14 is what %fs:-8 holds; believed if the three structs point to each other, and the
 * stack pointer leads behind a call.
 */
#include "framepointer.h"
#include "machine.h"

#define G_END 8			/* of a g: the end of its stack; its m; what was kept of rsp and rbp */
#define G_M 48
#define G_SP 56
#define G_BP 104
#define BACK_BYTES 33

CORE bool go_is_outermost(const struct machine *m)
{
	return m->code_at == m->pc && (ends_thread(m->code) || ends_goroutine(m->code));
}

/* Is the call before us that of a function's pointer in rdi? Then it may be systemstack()'s. */
static INLINE bool may_switch(const struct machine *m)
{
	return m->code_at == m->pc && m->code[6] == 0xff && m->code[7] == 0xd7 && m->code[8] == 0x64;
}

/* Where in Go's m its current g is, by the code behind the call; 0: that is not systemstack(). */
static INLINE u32 offset_of_curg(struct machine *m)
{
	const u8 *code = m->in.window;

	if (port_read(m->in.window, BACK_BYTES, m->pc) || code[1] != 0x48 || code[2] != 0x8b || code[9] != 0x48 ||
	    code[10] != 0x8b || code[11] != 0x58 || code[12] != G_M || code[13] != 0x48 || code[14] != 0x8b ||
	    code[15] != 0x83 || code[18] || code[19] || code[20] != 0x64 || code[29] != 0x48 || code[30] != 0x8b ||
	    code[31] != 0x60 || code[32] != G_SP)
		return 0;
	return code[16] | code[17] << 8;
}

/* The goroutine's rbp. That which is in use is of the past if the goroutine's stack has been moved meanwhile. */
static INLINE int own_bp(struct machine *m, u64 g, u64 sp)
{
	u64 bp, end;

	if (machine_reg(m, RBP, &bp) || stack_read(m, g + G_END, &end))
		return -EFAULT;
	if (bp - sp < end - sp)
		return 0;
	if (stack_read(m, g + G_BP, &bp) || bp - sp >= end - sp)
		return -EFAULT;
	m->reg[RBP] = bp;
	return 0;
}

CORE int go_switch(struct machine *m)
{
	u64 g0 = m->reg[R14], thread, g, back, sp, ra;
	u32 curg = may_switch(m) ? offset_of_curg(m) : 0;
	int err;

	if (!curg)
		return -ENOENT;
	m->fp_steps++;
	if (m->lazy >> R14 & 1 || g0 & 7)
		return -EFAULT;
	err = stack_read(m, g0 + G_M, &thread);
	if (!err)
		err = stack_read(m, thread, &back);		/* its first member: g0 */
	if (!err && back == g0)
		err = stack_read(m, thread + curg, &g);
	else
		return -EFAULT;
	if (!err)
		err = stack_read(m, g + G_M, &back);
	if (!err && back == thread && g != g0)
		err = stack_read(m, g + G_SP, &sp);
	else
		return -EFAULT;
	if (!err)
		err = stack_read(m, sp, &ra);
	if (!err)
		err = framepointer_code(m, ra);
	if (err || !follows_call(m->code))
		return -EFAULT;
	err = own_bp(m, g, sp);
	if (err)
		return err;
	m->reg[R14] = g;
	m->pc = ra;
	m->sp = m->reg[RSP] = sp + 8;
	return 0;
}
