/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames without CFI: JIT code, V8's builtins, Go. x29 leads from frame record to frame record (aapcs64 §6.4.6). */
#include "core/code/framepointer.h"
#include "core/code/rules.h"

/* Parts of framepointer_step(), verified once. */
GLOBAL u32 framepointer_is_set(struct machine *m NONNULL);
GLOBAL u32 framepointer_is_pushed(struct machine *m NONNULL);

#define FAR (1 << 20)
#define LOWEST 4096
#define LEAF 4096	  /* bytes of a function that calls nothing, at most */
#define LARGEST (1 << 20) /* bytes of any function, at most */
#define NR_CLONE 220
#define NR_CLONE3 435

/* Does the place that m->code is around follow a call, or is it what a goroutine's first function returns to? */
static INLINE bool may_be_returned_to(struct machine *m)
{
	u64 fp;

	return follows_call(m->code) || (code_is_go_exit(m) && !machine_reg(m, X29, &fp) && !fp);
}

/* Does the function that m->code is around the beginning of, 8 bytes before, set x29 in its first six instructions? */
GLOBAL u32 framepointer_is_set(struct machine *m NONNULL)
{
	m->scratch.nr = 0;
	for (u32 i = 0; i < sizeof(m->code); i += 4)
		m->scratch.nr |= (u32)sets_fp(instruction(m->code + i));
	return m->scratch.nr;
}

/*
 * All bits if the instruction lowers sp: stp or str with sp and a new value for it, or sub sp,sp,#N. Without a branch, which
 * would double the verifier's paths for each instruction.
 */
static INLINE u64 lowers_sp(u64 code)
{
	return all_if_zero((code & 0x3fc003e0) ^ 0x298003e0) | all_if_zero((code & 0x3fe00fe0) ^ 0x38000fe0) |
	       all_if_zero((code & 0xff8003ff) ^ 0xd10003ff);
}

/* Does one of the instructions in m->scratch.word lower sp? */
GLOBAL u32 framepointer_is_pushed(struct machine *m NONNULL)
{
	m->scratch.nr = 0;
	each (i, SCRATCH_WORDS) {
		u64 pair = at(m->scratch.word, i);

		m->scratch.nr |= lowers_sp((u32)pair) | lowers_sp(pair >> 32);
	}
	return m->scratch.nr;
}

static INLINE bool has_frame(struct machine *m, u64 start)
{
	return framepointer_code(m, start + 8) || framepointer_is_set(m);
}

static INLINE bool has_pushed(struct machine *m)
{
	return port_read(m->scratch.word, sizeof(m->scratch.word), m->pc - sizeof(m->scratch.word)) ||
	       framepointer_is_pushed(m);
}

/*
 * Has the interrupted function no frame? Then x30 is not what the frame record holds. Either the call before x30 has the
 * function's start as its target, which lies not far before the PC; or it lies so far away, or outside of the mapping from @from
 * to @to, that it is of another function, which has called this one: as functions of the vDSO are called. If the function has a
 * frame, x30 may be the place behind any of its calls.
 */
static INLINE bool is_leaf(struct machine *m, u64 saved, u64 from, u64 to, u64 *ret)
{
	u64 lr, start;

	if (!m->pc_is_exact || machine_reg(m, X30, &lr))
		return false;
	lr = code_address(lr);
	if (lr == saved || lr == m->pc) /* the latter: a call has just returned */
		return false;
	if (framepointer_code(m, lr) || !follows_call(m->code))
		return false;
	start = call_target(m->code, lr);
	*ret = lr;
	if (start && m->pc - start < LEAF)
		return !has_frame(m, start);
	return (lr - m->pc + LARGEST > 2 * LARGEST || lr - from >= to - from) && !has_pushed(m);
}

static INLINE int go_to(struct machine *m, u64 pc, u64 sp)
{
	m->pc = pc;
	m->sp = m->reg[SP] = sp;
	m->pc_is_exact = 0;
	return 0;
}

/* A function of Go that has no frame yet, as its stack is to be made larger: its caller is in x30. */
static INLINE int leave_bare(struct machine *m)
{
	u64 ra;
	int err = machine_reg(m, X30, &ra);

	if (err)
		return err;
	err = framepointer_code(m, ra);
	if (err)
		return err;
	if (!may_be_returned_to(m))
		return -EFAULT;
	m->invalid |= CALLER_SAVED;
	return go_to(m, ra, m->sp);
}

/* Go's time.now() and nanotime1() switch to their thread's stack to call the vDSO. They keep sp in x20. */
static INLINE bool is_kept_in_x20(struct machine *m, u64 fp)
{
	u64 sp;

	return !machine_reg(m, X20, &sp) && sp - 8 == fp;
}

GLOBAL int framepointer_step(struct machine *m NONNULL, u64 start, u64 end)
{
	u64 fp, caller_fp, ra, lr;
	int err;

	m->fp_steps++;
	if (m->bare_at == m->pc)
		return leave_bare(m);
	err = machine_reg(m, X29, &fp);
	if (err)
		return err;
	if (((fp < m->sp - 8 || fp - (m->sp - 8) > FAR) && !is_kept_in_x20(m, fp)) || fp & 7) /* Go's lies below sp */
		return -EFAULT;
	err = stack_read(m, fp, &caller_fp);
	if (!err)
		err = stack_read(m, fp + 8, &ra);
	if (err)
		return err;
	ra = code_address(ra);
	if (is_leaf(m, ra, start, end, &lr)) {
		m->invalid |= CALLER_SAVED;
		return go_to(m, lr, m->sp);
	}
	if (ra < LOWEST)
		return -EFAULT;
	err = framepointer_code(m, ra);
	if (err)
		return err;
	if (!follows_call(m->code) && !(code_is_go_exit(m) && !caller_fp))
		return -EFAULT;
	m->cfa = fp;
	m->reg[X29] = caller_fp;
	m->invalid |= CALLER_SAVED | CALLEE_SAVED | 1u << SP;
	return go_to(m, ra, fp + 16);
}

GLOBAL bool framepointer_is_called(struct machine *m NONNULL)
{
	return !framepointer_code(m, m->pc) && may_be_returned_to(m);
}

GLOBAL bool framepointer_row_leads(struct machine *m NONNULL)
{
	u64 ra;

	if (m->row.rule[SLOT_RA] != RULE_OFFSET ? machine_reg(m, X30, &ra)
						: stack_read(m, m->cfa + (s64)m->row.off[SLOT_RA], &ra))
		return false;
	return !framepointer_code(m, code_address(ra)) && (follows_call(m->code) | code_is_go_exit(m));
}

/* Is the system call that has just returned clone() or clone3()? Its number is still in x8. */
static INLINE bool is_clone(struct machine *m)
{
	u64 nr;

	return !machine_reg(m, X8, &nr) && (nr == NR_CLONE || nr == NR_CLONE3);
}

GLOBAL bool framepointer_thread_start(struct machine *m NONNULL)
{
	u64 x0;

	if (!m->pc_is_exact) /* makecontext(): the first function returns to one that has no caller */
		return !(m->pc & 15) && !framepointer_code(m, m->pc) && !follows_call(m->code);
	if (m->sp != m->reg[SP] || machine_reg(m, X0, &x0) || x0)
		return false; /* clone() returns 0 in the child */
	return !framepointer_code(m, m->pc) && is_system_call(m, m->code + 4) && is_clone(m);
}
