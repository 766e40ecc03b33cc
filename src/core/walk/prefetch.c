/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a walk that must not sleep could not read, the next one that may reads for it.
 *
 * The former ends where tables are not in memory, and leaves word of that frame. The latter, if the same file is in its
 * process, goes there when it is done; not for the frame, but for the row, which all find from then on. Without this
 * the last stacks of tasks (last_stack.h), which are walked in no other way, would all be cut at libc's _exit().
 */
#include "core/walk/walk.h"

/* Where the code of @frame is in this process; 0: not in what was met. */
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
	m->sp = m->reg[RSP] = 0; /* it is not a frame of this stack: there is nothing to be read */
	m->lazy = 0;
	w->row_wanted = 0;
	w->outcome = GOING_ON;
	return NEXT;
}
