/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames without CFI: JIT code, V8's builtins, Go. */
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
