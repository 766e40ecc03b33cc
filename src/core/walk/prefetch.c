/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Row prefetch: a walk that may sleep learns the row that a no-fault walk has missed.
 *
 * The no-fault walk ends where tables are not in memory, and leaves that frame behind. The next walk that may sleep, if
 * the same file is in its process, goes there when it is done: not for the frame, but for the row, which all walks find
 * from then on. Without this all last stacks of tasks (last_stack.h), which are walked in no other way, would be cut at
 * libc's _exit().
 */
#include "core/walk/walk.h"

/* Return the address of @frame's code in this process; 0: it is in no known range. */
static INLINE u64 address_of(struct modules *ms, u64 frame)
{
	u64 addr = 0;

	each (i, NR_RANGES) {
		struct range *r = &at(ms->range, i);
		u64 here = frame_offset(frame) - r->file_off;

		if (i < ms->nr && r->module == frame_module(frame) && here - r->start < r->end - r->start)
			addr = here;
	}
	return addr;
}

GLOBAL int learn_row_at(struct walk *w NONNULL, u32 why)
{
	struct machine *m = &w->machine;
	u64 addr = address_of(&w->modules, w->row_wanted);

	w->outcome = why;
	if (!addr)
		return STOP;
	w->visited = w->row_wanted;
	w->before = why;
	w->nr_before = w->out.nr;
	m->pc_is_exact = !frame_is_return(w->row_wanted);
	m->pc = addr;
	m->sp = m->reg[REG_SP] = 0; /* it is not a frame of this stack: there is nothing to read */
	m->lazy = 0;
	w->row_wanted = 0;
	w->outcome = GOING_ON;
	return NEXT;
}
