/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go that calls C, and C that calls Go: how the walk goes from one stack to the other.
 *
 * C runs on the thread's own stack. There asmcgocall() notes the goroutine's g, and how far from the end of its stack
 * it left it. cgocallback() leaves C for a goroutine. The thread's own g holds where its frame on the thread's stack
 * is, and the frame holds the previous value, for a call within a call. C calls cgocallback() by way of crosscall2(),
 * and a thread's first function by crosscall1(); both save all registers that a C function may rely on.
 */
#include "core/arch/go_frame.h"

/* mov G(%rsp),%rdi; mov 8(%rdi),%rsi; sub DEPTH(%rsp),%rsi, where DEPTH may be 0, and then has no byte */
static INLINE int to_goroutine(struct machine *m)
{
	u64 depth_at = m->code[19] == 0x34 ? 0 : m->code[21], g, depth, end;
	int err = port_read(&m->word, 8, m->sp + m->code[12]);

	if (err)
		return err;
	g = m->word;
	err = port_read(&m->word, 8, m->sp + depth_at);
	if (!err)
		err = port_read(m->scratch.word, 16, g);
	if (err)
		return err;
	depth = m->word;
	end = m->scratch.word[G_END];
	if (g & 7 || depth & 7 || depth > end - m->scratch.word[G_START])
		return -EFAULT;
	m->sp = end - depth;
	m->reg[R14] = g;
	m->lazy &= ~(1u << R14);
	return go_leave_frame(m, end);
}

/* mov 56(%rsi),%rsp, where rsi is the thread's own g; then rbp is at 24, and the return address at 32 */
static INLINE int to_thread(struct machine *m)
{
	u64 g = m->reg[R14], thread, g0;
	int err = m->lazy >> R14 & 1 || g & 7 ? -EFAULT : port_read(&m->word, 8, g + 8 * G_M);

	if (err)
		return err;
	thread = m->word;
	err = port_read(&m->word, 8, thread);
	g0 = m->word;
	if (!err)
		err = port_read(m->scratch.word, 8 * G_WORDS, g0);
	if (err || m->scratch.word[G_M] != thread)
		return err ?: -EFAULT;
	m->sp = m->callback_sp ?: m->scratch.word[G_SP];
	err = port_read(m->scratch.word, 40, m->sp);
	if (err)
		return err;
	m->callback_sp = m->scratch.word[0];
	holds(m, RBP, m->scratch.word[3]);
	m->pc = m->scratch.word[4];
	m->sp += 40;
	return 0;
}

/*
 * The saved registers are at rsp; those of crosscall2() above three words, and since Go 1.21 with two frame pointers.
 */
static INLINE int to_caller(struct machine *m, bool from_go)
{
	u64 at = m->sp + 24 * from_go, up = 40 - 40 * from_go;
	int err = port_read(m->scratch.word, 64, at);

	if (err)
		return err;
	lies_at(m, RBX, at + up);
	lies_at(m, R12, from_go ? at + 8 : at + 24);
	lies_at(m, R13, at + 16);
	lies_at(m, R14, from_go ? at + 24 : at + 8);
	lies_at(m, R15, from_go ? at + 32 : at);
	lies_at(m, RBP, from_go ? at + 40 : at + 32);
	m->sp = at + 56;
	m->pc = m->scratch.word[6];
	if (from_go && m->scratch.word[5] == at + 48) {
		lies_at(m, RBP, at + 48);
		m->sp += 8;
		m->pc = m->scratch.word[7];
	}
	return 0;
}

CORE int cgo_switch(struct machine *m, u32 kind)
{
	m->fp_steps++;
	if (kind == ASMCGOCALL)
		return to_goroutine(m);
	if (kind == CGOCALLBACK)
		return to_thread(m);
	return to_caller(m, kind == CROSSCALL2);
}
