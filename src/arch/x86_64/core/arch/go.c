/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go: frame pointers lead through nearly all of its code. What they do not show is where a goroutine begins, and where
 * the runtime switches to its thread's own stack. Three functions do that. They keep in the goroutine's g where it
 * continues, and are recognized by their code behind the call (rules.txt):
 *
 *	systemstack()	calls a function, and returns
 *	mcall()		calls a function that does not return: the scheduler, mostly. The g is above the call
 *	morestack()	is called by a function before that has a frame, because its stack is too small
 *
 * The walk goes to a goroutine if its g and its thread's m point to each other, as r14, which is the thread's own g,
 * and the m do; if what was kept is in its stack; and if that follows a call. A scheduler that has put its goroutine
 * aside works for none: it has no caller.
 *
 * This is no rule of rules.txt, since it follows Go's structs, whose offsets differ from version to version: they are
 * taken from operands in the code.
 */
#include "core/code/framepointer.h"
#include "core/arch/go_frame.h"

#define CURG_FROM_GSIGNAL 112 /* in an m: from the g for signals to the current g */
#define CODE_BEFORE 112	      /* bytes of code: how far back the switch to the thread's stack is looked for */
#define CODE_AFTER 33	      /* the switch back */

/* Find mov GSIGNAL(%rbx),%rsi, to m->scratch.word[0], and mov 56(%rbx),%rsp, to m->scratch.word[1]. */
TURN(find_way_in, struct machine, m)
{
	const u8 *code = &at(m->scratch.in.window, turn);

	if (code[0] != 0x48 || code[1] != 0x8b)
		return NEXT;
	if (code[2] == 0x73)
		m->scratch.word[0] = code[3];
	if (code[2] == 0x63 && code[3] == 8 * G_SP)
		m->scratch.word[1] = 1;
	return NEXT;
}

/*
 * Return the offset of the current g in an m; 0: the code is neither of the two functions. scratch.in.window has the
 * code, from CODE_BEFORE before the return address. systemstack() contains the offset: mov %fs:-8,%rax;
 * mov 48(%rax),%rbx; mov CURG(%rbx),%rax; mov %rax,%fs:-8; mov 56(%rax),%rsp. morestack() contains where the m has its
 * g for signals; what is between the two has had the same size in all versions.
 */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind)
{
	const u8 *code = m->scratch.in.window + CODE_BEFORE;

	if (kind == SYSTEMSTACK)
		return !(code[18] | code[19]) && code[20] == 0x64 && code[29] == 0x48 && code[30] == 0x8b &&
				       code[31] == 0x60 && code[32] == 8 * G_SP
			       ? code[16] | code[17] << 8
			       : 0;
	m->scratch.word[0] = m->scratch.word[1] = 0;
	loop(CODE_BEFORE - 4, find_way_in, m);
	return m->scratch.word[0] && m->scratch.word[1] ? m->scratch.word[0] + CURG_FROM_GSIGNAL : 0;
}

/* Go to what was kept in the g with its words in scratch.word[]: m->sp, m->pc and m->reg[RBP]. Returns 0 or -EFAULT. */
GLOBAL int go_resume(struct machine *m NONNULL)
{
	const u64 *g = m->scratch.word;
	u64 sp = g[G_SP], bp = g[G_BP] ?: g[G_OLD_BP], room = g[G_END] - sp;

	if (sp - g[G_START] >= g[G_END] - g[G_START] || sp & 7 || (bp && bp - sp >= room))
		return -EFAULT;
	m->sp = sp;
	m->pc = g[G_PC];
	holds(m, RBP, bp);
	return 0;
}

/*
 * Was m->pc kept by morestack()? Then it follows a call to there, which is where @ra is. Otherwise the scheduler,
 * called from there, already has another goroutine.
 */
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra)
{
	return call_target(m->code, m->pc) - ra + 256 < 512;
}

CORE int go_switch(struct machine *m, u32 kind)
{
	u64 thread, g, ra = m->pc;
	u32 curg = 0;
	int err;

	if (kind != MCALL) {
		if (port_read(m->scratch.in.window, CODE_BEFORE + CODE_AFTER, ra - CODE_BEFORE))
			return -ENOENT;
		curg = go_curg(m, kind);
		if (!curg)
			return -ENOENT;
	}
	curg = verifier_forget(m->scratch.nr, curg);

	m->fp_steps++;
	err = go_find_thread(m);
	if (err)
		return err;
	thread = m->word;
	err = port_read(&m->word, 8, kind == MCALL ? m->sp : thread + curg);
	if (err)
		return err;
	g = m->word;
	if (g)
		err = port_read(m->scratch.word, 8 * G_WORDS, g);
	if (err)
		return err;
	if (!g || m->scratch.word[G_M] != thread)
		return kind == SYSTEMSTACK ? -EFAULT : -ESRCH;
	err = go_resume(m);
	if (!err && kind == SYSTEMSTACK)
		err = go_leave_frame(m, m->scratch.word[G_END]);
	if (!err)
		m->reg[R14] = g;
	return err;
}
