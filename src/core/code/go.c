/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Go: frame pointers lead through nearly all of its code. What they do not show is where a goroutine begins, and where
 * the runtime switches to its thread's own stack. Three functions do that. They keep in the goroutine's g where it
 * continues, and are recognized by their code behind the call:
 *
 *	systemstack()	calls a function, and returns
 *	mcall()		calls a function that does not return: the scheduler, mostly. The g is above the call
 *	morestack()	is called by a function before that has a frame, because its stack is too small
 *
 * The walk goes to a goroutine if its g and its thread's m point to each other, as r14, which is the thread's own g,
 * and the m do; if what was kept is in its stack; and if that follows a call. A scheduler that has put its goroutine
 * aside works for none: it has no caller.
 */
#include "core/code/codeword.h"
#include "core/code/framepointer.h"
#include "core/code/go.h"

#define CURG_FROM_GSIGNAL 112 /* in an m: from the g for signals to the current g */
#define CODE_BEFORE 112	      /* bytes of code: how far back the switch to the thread's stack is looked for */
#define CODE_AFTER 33	      /* the switch back */

CORE bool go_is_outermost(const struct machine *m)
{
	return m->code_at == m->pc && (ends_thread(m->code) || ends_goroutine(m->code));
}

/* The code around a return address: 8 bytes before it and 16 behind. Of a pattern, bits count where @mask is not 0. */
struct code {
	u64 word[3];
} __attribute__((packed));

struct stack_switch_pattern {
	u64 code[3], mask[3];
	u32 kind;
};

#define X 0xff
#define NR_STACK_SWITCH_PATTERNS 8
static const struct stack_switch_pattern stack_switch_patterns[NR_STACK_SWITCH_PATTERNS] = {
	/* call *%rdi; mov %fs:-8,%rax; mov 48(%rax),%rbx; mov CURG(%rbx),%rax */
	{{WORD(0, 0, 0, 0, 0, 0, 0xff, 0xd7), WORD(0x64, 0x48, 0x8b, 4, 0x25, 0xf8, 0xff, 0xff),
	  WORD(0xff, 0x48, 0x8b, 0x58, 0x30, 0x48, 0x8b, 0x83)},
	 {WORD(0, 0, 0, 0, 0, 0, X, X), ~0ULL, ~0ULL},
	 SYSTEMSTACK},
	/* push %rax; mov (%rdx),%r12; call *%r12; perhaps nop; pop %rax; jmp */
	{{WORD(0, 0x50, 0x4c, 0x8b, 0x22, 0x41, 0xff, 0xd4), WORD(0x58, 0xe9, 0, 0, 0, 0, 0, 0)},
	 {WORD(0, X, X, X, X, X, X, X), WORD(X, X, 0, 0, 0, 0, 0, 0)},
	 MCALL},
	{{WORD(0, 0x50, 0x4c, 0x8b, 0x22, 0x41, 0xff, 0xd4), WORD(0x90, 0x58, 0xe9, 0, 0, 0, 0, 0)},
	 {WORD(0, X, X, X, X, X, X, X), WORD(X, X, X, 0, 0, 0, 0, 0)},
	 MCALL},
	/* call newstack; call abort; ret */
	{{WORD(0, 0, 0, 0xe8, 0, 0, 0, 0), WORD(0xe8, 0, 0, 0, 0, 0xc3, 0, 0)},
	 {WORD(0, 0, 0, X, 0, 0, 0, 0), WORD(X, 0, 0, 0, 0, X, 0, 0)},
	 MORESTACK},
	/* mov G(%rsp),%rdi; mov 8(%rdi),%rsi; sub DEPTH(%rsp),%rsi */
	{{0, WORD(0x48, 0x8b, 0x7c, 0x24, 0, 0x48, 0x8b, 0x77), WORD(8, 0x48, 0x2b, 0x34, 0x24, 0, 0, 0)},
	 {0, WORD(X, X, X, X, 0, X, X, X), WORD(X, X, X, 0xbf, X, 0, 0, 0)},
	 ASMCGOCALL},
	/* lea 40(%rsp),%rax; sub %rsp,%rax; mov %fs:-8,%rsi */
	{{0, WORD(0x48, 0x8d, 0x44, 0x24, 0x28, 0x48, 0x29, 0xe0),
	  WORD(0x64, 0x48, 0x8b, 0x34, 0x25, 0xf8, 0xff, 0xff)},
	 {0, ~0ULL, ~0ULL},
	 CGOCALLBACK},
	/* pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret */
	{{WORD(0, 0, 0, 0, 0, 0, 0xff, 0xd3), WORD(0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c),
	  WORD(0x5d, 0x5b, 0xc3, 0, 0, 0, 0, 0)},
	 {WORD(0, 0, 0, 0, 0, 0, X, X), ~0ULL, WORD(X, X, X, 0, 0, 0, 0, 0)},
	 CROSSCALL1},
	/* add $24,%rsp; mov (%rsp),%rbx; mov 8(%rsp),%r12; mov 16(%rsp),%r13 */
	{{0, WORD(0x48, 0x83, 0xc4, 0x18, 0x48, 0x8b, 0x1c, 0x24), WORD(0x4c, 0x8b, 0x64, 0x24, 8, 0x4c, 0x8b, 0x6c)},
	 {0, ~0ULL, ~0ULL},
	 CROSSCALL2},
};

/* Return which switch the code around the return address may be, as enum go_kind. */
GLOBAL u32 go_kind(struct machine *m NONNULL)
{
	struct code code = *(const struct code *)m->code;
	u32 kind = NO_SWITCH;

	UNROLL
	for (u32 i = 0; i < NR_STACK_SWITCH_PATTERNS; i++) {
		const struct stack_switch_pattern *w = &stack_switch_patterns[i];

		if (!(((code.word[0] ^ w->code[0]) & w->mask[0]) | ((code.word[1] ^ w->code[1]) & w->mask[1]) |
		      ((code.word[2] ^ w->code[2]) & w->mask[2])))
			kind = w->kind;
	}
	return kind;
}

/* Find mov GSIGNAL(%rbx),%rsi, to m->value[0], and mov 56(%rbx),%rsp, to m->value[1]. */
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
 * Return the offset of the current g in an m; 0: the code is neither of the two functions. m->in.window has the code,
 * from CODE_BEFORE before the return address. systemstack() contains the offset: mov %fs:-8,%rax; mov 48(%rax),%rbx;
 * mov CURG(%rbx),%rax; mov %rax,%fs:-8; mov 56(%rax),%rsp. morestack() contains where the m has its g for signals; what
 * is between the two has had the same size in all versions.
 */
GLOBAL u32 go_curg(struct machine *m NONNULL, u32 kind)
{
	const u8 *code = m->in.window + CODE_BEFORE;

	if (kind == SYSTEMSTACK)
		return !(code[18] | code[19]) && code[20] == 0x64 && code[29] == 0x48 && code[30] == 0x8b &&
				       code[31] == 0x60 && code[32] == 8 * G_SP
			       ? code[16] | code[17] << 8
			       : 0;
	m->value[0] = m->value[1] = 0;
	loop(CODE_BEFORE - 4, find_way_in, m);
	return m->value[0] && m->value[1] ? m->value[0] + CURG_FROM_GSIGNAL : 0;
}

/* Go to what was kept in the g with its words in m->operand[]: m->sp, m->pc and m->reg[RBP]. Returns 0 or -EFAULT. */
GLOBAL int go_resume(struct machine *m NONNULL)
{
	const u64 *g = m->operand;
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

/* Find the m that r14 is the own g of: it goes to m->word. Returns 0, -EFAULT or -EACCES. */
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

	if (m->pc_is_exact || (m->code_at != m->pc && framepointer_code(m, m->pc)))
		return -ENOENT;
	kind = go_kind(m);
	if (kind == NO_SWITCH)
		return -ENOENT;
	if (kind >= ASMCGOCALL)
		return cgo_switch(m, kind);
	if (kind != MCALL) {
		if (port_read(m->in.window, CODE_BEFORE + CODE_AFTER, ra - CODE_BEFORE))
			return -ENOENT;
		curg = go_curg(m, kind);
		if (!curg)
			return -ENOENT;
	}
	curg = verifier_forget(m->depth, curg);

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
		err = go_leave_frame(m, m->operand[G_END]);
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
