/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The half of the module that knows the core's walk. */
#include "../src/core/walk/walk.h"
#include "walking.h"

const size_t walking_bytes = sizeof(struct walk);

static INLINE void take(u64 *reg, const struct entry_registers *from)
{
	reg[RAX] = from->ax;
	reg[RDX] = from->dx;
	reg[RCX] = from->cx;
	reg[RBX] = from->bx;
	reg[RSI] = from->si;
	reg[RDI] = from->di;
	reg[RBP] = from->bp;
	reg[RSP] = from->sp;
	reg[R8] = from->r8;
	reg[R9] = from->r9;
	reg[R10] = from->r10;
	reg[R11] = from->r11;
	reg[R12] = from->r12;
	reg[R13] = from->r13;
	reg[R14] = from->r14;
	reg[R15] = from->r15;
	reg[RIP] = from->ip;
	reg[CS] = from->cs;
	regs_settle(reg);
}

u32 walking_walk(struct walk *w, const struct entry_registers *from, u32 max_depth, enum acquaintance known)
{
	if (known == ANOTHER_SPACE)
		modules_reset(&w->modules);
	else if (known == CHANGED_SPACE)
		modules_distrust(&w->modules);
	take(w->machine.reg, from);
	w->max_depth = max_depth < MAX_DEPTH ? max_depth : MAX_DEPTH;
	walk_start(w);
	walk_stack(w);
	return w->outcome;
}

u32 walking_frames(const struct walk *w, const u64 **ret)
{
	*ret = w->out.frame;
	return w->out.nr;
}
