/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go: frame pointers lead through nearly all of its code. What they do not tell is where a goroutine begins, and where
 * the runtime goes over to its thread's own stack. It does so in three functions, which keep in the goroutine's g where
 * that goes on, and which are known by their code behind the call:
 *
 *	systemstack()	calls a function, and comes back
 *	mcall()		calls a function that does not return: the scheduler, mostly. The g lies above the call
 *	morestack()	is called by a function whose stack is too small, before it has a frame
 *
 * A goroutine is believed to be there if its g and its thread's m point to each other, as r14, which is the thread's
 * own g, and the m do; if what was kept lies in its stack; and if that leads behind a call. A scheduler that has put
 * its goroutine aside works for none: nobody called it.
 */
#include "framepointer.h"
#include "machine.h"

enum { NO_SWITCH, SYSTEMSTACK, MCALL, MORESTACK };

/* Words of a g: its stack, its m; what was kept of rsp, rip and rbp. Up to Go 1.24 there is a 0, and then rbp. */
enum { G_START, G_END, G_M = 6, G_SP, G_PC, G_BP = 12, G_OLD_BP, G_WORDS };

#define CURG_FROM_GSIGNAL 112	/* in an m */
#define BEFORE 112		/* of the code: how far back the way into a switch is looked for */
#define BEHIND 33		/* the way out of it */

CORE bool go_is_outermost(const struct machine *m)
{
	return m->code_at == m->pc && (ends_thread(m->code) || ends_goroutine(m->code));
}

/*
 * What may the code around the return address be?
 *	call *%rdi; mov %fs:
 *	push %rax; mov (%rdx),%r12; call *%r12; perhaps nop; pop %rax; jmp
 *	call newstack; call abort; ret
 */
GLOBAL u32 go_kind(struct machine *m NONNULL)
{
	const u8 *code = m->code;
	u32 nop = code[8] == 0x90;

	if (code[6] == 0xff && code[7] == 0xd7 && code[8] == 0x64)
		return SYSTEMSTACK;
	if (code[3] == 0xe8 && code[8] == 0xe8 && code[13] == 0xc3)
		return MORESTACK;
	if (code[1] == 0x50 && code[2] == 0x4c && code[3] == 0x8b && code[4] == 0x22 && code[5] == 0x41 &&
	    code[6] == 0xff && code[7] == 0xd4 && code[8 + nop] == 0x58 && code[9 + nop] == 0xe9)
		return MCALL;
	return NO_SWITCH;
}

/* mov GSIGNAL(%rbx),%rsi, to m->value[0], and mov 56(%rbx),%rsp, to m->value[1]. */
TURN(find_way_in, struct machine, m)
{
	const u8 *code = &at(m->in.window, turn);

	if (code[0] != 0x48 || code[1] != 0x8b)
		return NEXT;
	if (code[2] == 0x73)
		m->value[0] = code[3];
	if (code[2] == 0x63 && code[3] == 8 * G_SP)
		m->value[1] = 1;
	return NEXT;
}

/*
 * Where in an m is its current g? m->in.window has the code, from BEFORE before the return address. systemstack() tells
 * it: mov %fs:-8,%rax; mov 48(%rax),%rbx; mov CURG(%rbx),%rax; mov %rax,%fs:-8; mov 56(%rax),%rsp. morestack() tells
 * where the m has its g for signals; what lies between has been of one size. 0: it is neither.
 */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind)
{
	const u8 *code = m->in.window + BEFORE;

	if (kind == SYSTEMSTACK)
		return code[1] == 0x48 && code[2] == 0x8b && code[9] == 0x48 && code[10] == 0x8b && code[11] == 0x58 &&
		       code[12] == 8 * G_M && code[13] == 0x48 && code[14] == 0x8b && code[15] == 0x83 &&
		       !(code[18] | code[19]) && code[20] == 0x64 && code[29] == 0x48 && code[30] == 0x8b &&
		       code[31] == 0x60 && code[32] == 8 * G_SP ? code[16] | code[17] << 8 : 0;
	m->value[0] = m->value[1] = 0;
	loop(BEFORE - 4, find_way_in, m);
	return m->value[0] && m->value[1] ? m->value[0] + CURG_FROM_GSIGNAL : 0;
}

/* What was kept in the g whose words are in m->operand[]: to m->sp, m->pc and m->reg[RBP]. 0 or -EFAULT. */
GLOBAL int go_resume(struct machine *m NONNULL)
{
	const u64 *g = m->operand;
	u64 sp = g[G_SP], bp = g[G_BP] ?: g[G_OLD_BP], room = g[G_END] - sp;

	if (sp - g[G_START] >= g[G_END] - g[G_START] || sp & 7 || (bp && bp - sp >= room))
		return -EFAULT;
	m->sp = sp;
	m->pc = g[G_PC];
	m->reg[RBP] = bp;
	m->lazy &= ~(1u << RBP);
	m->invalid &= ~(1u << RBP);
	return 0;
}

/*
 * m->pc was kept by morestack() if it is behind a call to there, which is where @ra is. Else the scheduler, called
 * from there, has another goroutine at hand already.
 */
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra)
{
	s32 rel = m->code[4] | m->code[5] << 8 | m->code[6] << 16 | (u32)m->code[7] << 24;

	return m->code[3] == 0xe8 && m->pc + (s64)rel - ra + 256 < 512;
}

/* systemstack() has a frame on the goroutine's stack, since Go 1.21 with a frame pointer: leave that, too. */
static INLINE int leave_systemstack(struct machine *m)
{
	int err = port_read(m->operand, 16, m->sp);

	if (err)
		return err;
	m->pc = m->operand[0];
	if (m->reg[RBP] == m->sp) {
		m->reg[RBP] = m->operand[0];
		m->pc = m->operand[1];
		m->sp += 8;
	}
	m->sp += 8;
	return 0;
}

/* The m whose own g is in r14: to m->word. */
static INLINE int find_thread(struct machine *m)
{
	u64 g0 = m->reg[R14], thread;
	int err;

	if (m->lazy >> R14 & 1 || g0 & 7)
		return -EFAULT;
	err = port_read(&m->word, 8, g0 + 8 * G_M);
	if (err)
		return err;
	thread = m->word;
	err = port_read(&m->word, 8, thread);
	if (err || m->word != g0)
		return err ?: -EFAULT;
	m->word = thread;
	return 0;
}

CORE int go_switch(struct machine *m)
{
	u64 thread, g, ra = m->pc;
	u32 kind, curg = 0;
	int err;

	if (m->exact || (m->code_at != m->pc && framepointer_code(m, m->pc)))
		return -ENOENT;
	kind = go_kind(m);
	if (kind == NO_SWITCH)
		return -ENOENT;
	if (kind != MCALL) {
		if (port_read(m->in.window, BEFORE + BEHIND, ra - BEFORE))
			return -ENOENT;
		curg = go_curg(m, kind);
		if (!curg)
			return -ENOENT;
	}

	m->fp_steps++;
	err = find_thread(m);
	if (err)
		return err;
	thread = m->word;
	err = port_read(&m->word, 8, kind == MCALL ? m->sp : thread + curg);
	if (err)
		return err;
	g = m->word;
	if (g)
		err = port_read(m->operand, 8 * G_WORDS, g);
	if (err)
		return err;
	if (!g || m->operand[G_M] != thread)
		return kind == SYSTEMSTACK ? -EFAULT : -ESRCH;
	err = go_resume(m);
	if (!err && kind == SYSTEMSTACK)
		err = leave_systemstack(m);
	if (err)
		return err;
	m->reg[RSP] = m->sp;
	m->reg[R14] = g;
	if (!framepointer_is_called(m))
		return -EFAULT;
	if (kind != MORESTACK)
		return 0;
	m->bare_at = m->pc;
	return go_called_near(m, ra) ? 0 : -ESRCH;
}
