/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames without CFI: JIT code, V8's builtins, Go; and stubs that can be told by their bytes. */
#include "machine.h"

#define FAR (1 << 20)
#define LOWEST 4096

/* Do the eight bytes before a return address end in a call? e8 rel32, or ff /2 in its five lengths. */
static INLINE bool follows_call(const u8 *code)
{
	if (code[3] == 0xe8)
		return true;
	for (u32 i = 1; i <= 6; i++)
		if (i != 3 && code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	return false;
}

CORE int framepointer_step(struct machine *m)
{
	u64 fp, caller_fp, ra;
	int err;

	m->fp_steps++;
	err = machine_reg(m, RBP, &fp);
	if (err)
		return err;
	if (fp < m->sp || fp - m->sp > FAR || fp & 7)
		return -EFAULT;
	err = stack_read(m, fp, &caller_fp);
	if (!err)
		err = stack_read(m, fp + 8, &ra);
	if (err)
		return err;
	if (ra < LOWEST)
		return -EFAULT;
	err = port_read(m->code, 8, ra - 8);
	if (err)
		return err;
	if (!follows_call(m->code))
		return -EFAULT;

	m->reg[RBP] = caller_fp;
	m->pc = ra;
	m->sp = m->reg[RSP] = fp + 16;
	m->exact = 0;
	m->invalid |= CALLER_SAVED | CALLEE_SAVED;
	return 0;
}

CORE int framepointer_plt_row(struct machine *m, u64 pc)
{
	const u8 *code = m->code + 6;		/* at pc, six bytes before it at code[-6] */
	struct row *row = &m->row;
	u8 flags = ROW_GUESS;
	s32 pushed;

	if (port_read(m->code, 12, pc - 6))
		return -ENOENT;
	if (code[0] == 0xff && code[1] == 0x25)		/* jmp *got(%rip), after push or alone */
		pushed = code[-6] == 0xff && code[-5] == 0x35 ? 16 : 0;
	else if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		pushed = 0;				/* endbr64 of -z ibtplt */
	else if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec && code[3] == 8 && code[4] == 0x48)
		pushed = 0;				/* _init, _fini: sub $8,%rsp, and then something with REX.W */
	else if (code[0] == 0x68)			/* push $index */
		pushed = 0;
	else if (code[0] == 0xe9 && code[-5] == 0x68)	/* jmp plt0 */
		pushed = 8;
	else if (code[0] == 0xff && code[1] == 0x35)	/* plt0: push got+8(%rip) */
		pushed = 8;
	else if (code[-2] == 0x0f && code[-1] == 0x05) {
		pushed = 0;				/* clone3(): back from the system call, without a frame */
		flags |= ROW_FRAME_POINTER;		/* unless the thread is new: nobody called it */
	} else {
		return -ENOENT;
	}

	memset(row, 0, sizeof(*row));
	row->flags = flags;
	row->cfa_kind = CFA_REG;
	row->cfa_reg = RSP;
	row->cfa_off = pushed + 8;
	row->rule[SLOT_RA] = RULE_OFFSET;
	row->off[SLOT_RA] = -8;
	return 0;
}

CORE bool framepointer_is_called(struct machine *m)
{
	return !port_read(m->code, 8, m->pc - 8) && follows_call(m->code);
}

CORE bool framepointer_thread_start(struct machine *m)
{
	u64 rax;

	if (!m->exact)		/* makecontext(): the first function returns to one that nobody called */
		return !(m->pc & 15) && !port_read(m->code, 8, m->pc - 8) && !follows_call(m->code);
	if (m->sp != m->reg[RSP] || machine_reg(m, RAX, &rax) || rax)
		return false;		/* clone() returns 0 in the child */
	return !port_read(m->code, 2, m->pc - 2) && m->code[0] == 0x0f && m->code[1] == 0x05;	/* syscall */
}
