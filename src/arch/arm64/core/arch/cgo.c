/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go that calls C, and C that calls Go: how the walk goes from one stack to the other.
 *
 * C runs on the thread's own stack. There asmcgocall() notes the goroutine's g, and how far from the end of its stack it
 * left it. cgocallback() leaves C for a goroutine. The thread's own g holds where its frame on the thread's stack is, and
 * the frame holds the previous value, for a call within a call. C calls cgocallback() by way of crosscall2(), which saves
 * all registers that a C function may rely on.
 */
#include "core/arch/go_frame.h"

/* At sp are the g, and the distance. */
static INLINE int to_goroutine(struct machine *m)
{
	u64 g, depth, end;
	int err = sp_is_lost(m) ? -EFAULT : port_read(m->scratch.word, 16, m->sp);

	if (err)
		return err;
	g = m->scratch.word[0];
	depth = m->scratch.word[1];
	err = g & 7 || depth & 7 ? -EFAULT : port_read(m->scratch.word, 16, g);
	if (err)
		return err;
	end = m->scratch.word[G_END];
	if (depth > end - m->scratch.word[G_START])
		return -EFAULT;
	m->sp = end - depth;
	m->reg[REG_G] = g;
	m->lazy &= ~(1u << REG_G);
	return go_leave_frame(m, end);
}

/* The frame of cgocallback(), of six words: its caller's x29 is below them; then its return address, and the previous frame. */
static INLINE int to_thread(struct machine *m)
{
	u64 g = m->reg[REG_G], thread, g0;
	int err = m->lazy >> REG_G & 1 || g & 7 ? -EFAULT : port_read(&m->word, 8, g + 8 * G_M);

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
	err = port_read(m->scratch.word, 32, m->sp - 8);
	if (err)
		return err;
	holds(m, X29, m->scratch.word[0]);
	m->pc = m->scratch.word[1];
	m->callback_sp = m->scratch.word[3];
	m->sp += 48;
	return 0;
}

/* crosscall2() has a frame of 24 words. x19 to x28 are in it from word 4 on, x29 and x30 in the last two. */
static INLINE int to_caller(struct machine *m)
{
	int err = sp_is_lost(m) ? -EFAULT : port_read(&m->word, 8, m->sp + 8 * 23);

	if (err)
		return err;
	UNROLL
	for (u32 reg = X19; reg <= X28; reg++)
		lies_at(m, reg, m->sp + 8 * (4 + reg - X19));
	lies_at(m, X29, m->sp + 8 * 22);
	m->pc = m->word;
	m->sp += 8 * 24;
	return 0;
}

CORE int cgo_switch(struct machine *m, u32 kind)
{
	m->fp_steps++;
	if (kind == ASMCGOCALL)
		return to_goroutine(m);
	return kind == CGOCALLBACK ? to_thread(m) : to_caller(m);
}
