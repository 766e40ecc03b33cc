/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go: where the runtime switches to its thread's own stack. Frame records lead through the rest of its code.
 *
 *	systemstack()	calls a function, and returns
 *	mcall()		calls a function that does not return: the scheduler, mostly
 *	morestack()	is called by a function before that has a frame, because its stack is too small
 *
 * They keep in the goroutine's g where it continues; the m says which g that is. As on x86-64, the walk goes to a
 * goroutine if its g and its thread's m point to each other, as x28, which is the thread's own g, and the m do; if what
 * was kept is in its stack; and if that follows a call. A scheduler that has put its goroutine aside works for none: it
 * has no caller.
 *
 * What a g keeps lies where an operand in the code says: ldr x29,[x28,#FP] behind the switch. That has been in two places, and the m has
 * its current g as far from its beginning as the g has that, and CURG_FROM_FP bytes more: before either is the same struct.
 */
#include "core/code/framepointer.h"
#include "core/arch/go_frame.h"

#define CURG_FROM_FP 88

/* The word of a g that keeps x29, by the code before return address @ra; 0: the code is another one. */
static INLINE u32 kept_fp(struct machine *m, u64 ra, u32 kind)
{
	u32 code, back = kind == MCALL ? 24 : 12;

	if (port_read(&m->word, 4, ra - back))
		return 0;
	code = m->word;
	if ((code & 0xffc003ff) != 0xf940039d || (code >> 10 & 0xfff) - G_BP > G_OLD_BP - G_BP)
		return 0;
	return code >> 10 & 0xfff;
}

/* Go to what was kept in the g with its words in scratch.word[], x29 in word @fp. Returns 0 or -EFAULT. */
static INLINE int resume(struct machine *m, u32 fp)
{
	const u64 *g = m->scratch.word;
	u64 sp = g[G_SP], start = g[G_START], end = g[G_END], record = at(m->scratch.word, fp);

	if (sp - start >= end - start || sp & 7 || (record && record + 8 - sp >= end - sp))
		return -EFAULT;
	m->sp = sp;
	m->pc = g[G_PC];
	holds(m, X29, record);
	holds(m, X30, at(m->scratch.word, fp - 1));
	return 0;
}

CORE int go_switch(struct machine *m, u32 kind)
{
	u64 thread, g, end;
	u32 fp;
	int err;

	fp = kept_fp(m, m->pc, kind);
	if (!fp)
		return -ENOENT;
	fp = verifier_forget(m->scratch.nr, fp);

	m->fp_steps++;
	err = go_find_thread(m);
	if (err)
		return err;
	thread = m->word;
	err = port_read(&m->word, 8, thread + 8 * fp + CURG_FROM_FP);
	if (err)
		return err;
	g = m->word;
	if (g)
		err = port_read(m->scratch.word, 8 * G_WORDS, g);
	if (err)
		return err;
	if (!g || m->scratch.word[G_M] != thread)
		return kind == SYSTEMSTACK ? -EFAULT : -ESRCH;
	end = m->scratch.word[G_END];
	err = resume(m, fp);
	if (!err && kind == SYSTEMSTACK)
		err = go_leave_frame(m, end);
	if (!err)
		m->reg[REG_G] = g;
	return err;
}

/* Was m->pc kept by morestack()? See switch.h. */
GLOBAL bool go_called_near(struct machine *m NONNULL, u64 ra)
{
	return call_target(m->code, m->pc) - ra + 256 < 512;
}
