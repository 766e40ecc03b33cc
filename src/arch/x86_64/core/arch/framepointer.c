/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames without CFI: JIT code, V8's builtins, Go. */
#include "core/code/framepointer.h"
#include "core/code/rules.h"

#define FAR (1 << 20)
#define LOWEST 4096
#define MAX_ARGUMENTS (256 * 8)
#define LARGEST_ALIGNMENT 64

/*
 * Java's interpreter jumps to a method. The method's return address comes from a table, and follows no call. But before
 * the jump the interpreter notes in its frame, two words below @caller_fp, where its stack ends (since JDK 21 as a
 * number of words from @caller_fp). The return address is at that place, apart from the method's arguments; an
 * interpreted method notes the same place below its own @fp. And below @caller_fp is what the interpreter's caller
 * noted.
 */
static INLINE bool is_interpreted(struct machine *m, u64 fp, u64 caller_fp)
{
	u64 own, last, sender;

	if (stack_read(m, fp - 8, &own) || stack_read(m, caller_fp - 16, &last) ||
	    stack_read(m, caller_fp - 8, &sender))
		return false;
	last += (s64)last >> 63 & (last * 7 + caller_fp);
	if (caller_fp - fp > FAR || last - fp - 8 >= caller_fp - fp - 8 || sender - caller_fp - 8 > FAR ||
	    (last | caller_fp | sender) & 7)
		return false;
	return own == last || last - fp - 8 <= MAX_ARGUMENTS;
}

/* A call with nothing but a return behind it: rsp is where it was before the call. */
static INLINE bool only_returns(const struct machine *m)
{
	return m->code_at == m->pc && code_is_ret(m);
}

/* Does the place that m->code is around follow a call, or is it what a goroutine's first function returns to? */
static INLINE bool may_be_returned_to(struct machine *m)
{
	u64 fp;

	return follows_call(m->code) || (code_is_go_exit(m) && !machine_reg(m, RBP, &fp) && !fp);
}

static INLINE int step_by_sp(struct machine *m)
{
	u64 ra;
	int err = stack_read(m, m->sp, &ra);

	if (!err)
		err = framepointer_code(m, ra);
	if (err || !may_be_returned_to(m))
		return -EFAULT;
	m->pc = ra;
	m->sp = m->reg[RSP] = m->sp + word_bytes(m);
	return 0;
}

/*
 * 32-bit code that aligns its stack, as main() does, keeps the original stack pointer in ecx, pushes a copy of its
 * return address, sets up its frame at m->cfa and pushes ecx, below up to three other registers. A word there that
 * points behind the original return address is the caller's esp: it goes to m->sp.
 */
TURN(find_original, struct machine, m)
{
	u64 cfa, ra;

	if (stack_read(m, m->cfa - 4 * (turn + 1), &cfa) || cfa - 4 - m->sp >= LARGEST_ALIGNMENT ||
	    stack_read(m, cfa - 4, &ra) || ra != m->pc)
		return NEXT;
	m->sp = cfa;
	return STOP;
}

/*
 * Go's time.now() and nanotime1() switch to their thread's stack to call the vDSO. They keep rsp, which is 16 below
 * their rbp, in r12.
 */
static INLINE bool is_kept_in_r12(struct machine *m, u64 fp)
{
	u64 sp;

	return !machine_reg(m, R12, &sp) && sp + 16 == fp;
}

GLOBAL int framepointer_step(struct machine *m NONNULL, u64 start, u64 end)
{
	u64 fp, caller_fp, ra, bytes = word_bytes(m);
	int err;

	m->fp_steps++;
	if (m->bare_at == m->pc)
		return step_by_sp(m);
	if (only_returns(m) && !step_by_sp(m))
		return 0;
	err = machine_reg(m, RBP, &fp);
	if (err)
		return err;
	if (((fp < m->sp || fp - m->sp > FAR) && !is_kept_in_r12(m, fp)) || fp & (bytes - 1))
		return -EFAULT;
	err = stack_read(m, fp, &caller_fp);
	if (!err)
		err = stack_read(m, fp + bytes, &ra);
	if (err)
		return err;
	if (!(ra & (PAGE_BYTES - 1)) && !port_true_return(ra, fp + bytes, &m->word))
		ra = m->word;
	if (ra < LOWEST)
		return -EFAULT;
	err = framepointer_code(m, ra);
	if (err)
		return err;
	if (!follows_call(m->code) && !(code_is_go_exit(m) && !caller_fp) && !is_interpreted(m, fp, caller_fp))
		return -EFAULT;

	m->reg[RBP] = caller_fp;
	m->pc = ra;
	m->sp = fp + 2 * bytes;
	m->cfa = fp;
	loop(m->compat, find_original, m); /* 4 turns, or none */
	m->reg[RSP] = m->sp;
	m->pc_is_exact = 0;
	m->invalid |= CALLER_SAVED | CALLEE_SAVED;
	return 0;
}

GLOBAL bool framepointer_is_called(struct machine *m NONNULL)
{
	return !framepointer_code(m, m->pc) && may_be_returned_to(m);
}

GLOBAL bool framepointer_row_leads(struct machine *m NONNULL)
{
	u64 ra;

	return !stack_read(m, m->cfa + (s64)m->row.off[SLOT_RA], &ra) && !framepointer_code(m, ra) &&
	       (follows_call(m->code) | code_is_go_exit(m));
}

/* Does mov $,%eax or mov $,%rax before it show that the system call is neither clone() nor clone3()? */
static INLINE bool is_other_call(const struct machine *m)
{
	u32 nr = m->code[2] | m->code[3] << 8 | m->code[4] << 16 | (u32)m->code[5] << 24;
	bool has_number = m->code[1] == 0xb8 || (m->code[0] == 0xc7 && m->code[1] == 0xc0);

	return !m->compat & has_number & (nr != 56) & (nr != 435);
}

GLOBAL bool framepointer_thread_start(struct machine *m NONNULL)
{
	u64 rax;

	if (!m->pc_is_exact) /* makecontext(): the first function returns to one that has no caller */
		return !(m->pc & 15) && !framepointer_code(m, m->pc) && !follows_call(m->code);
	if (m->sp != m->reg[RSP] || machine_reg(m, RAX, &rax) || rax)
		return false; /* clone() returns 0 in the child */
	return !framepointer_code(m, m->pc) && is_system_call(m, m->code + 6) && !is_other_call(m);
}
