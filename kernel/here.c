/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "here.h"
#include <linux/ktime.h>
#include <linux/mm_types.h>

/* What the walker knows of mappings is valid for one address space, as long as no mapping has changed. */
static enum acquaintance meet(struct walker *w)
{
	struct mm_struct *mm = current->mm;
	u64 start = current->group_leader->start_boottime;
	u32 sequence = READ_ONCE(mm->mm_lock_seq.sequence);
	enum acquaintance known = SAME_SPACE;

	if (w->mm != mm || w->start_boottime != start || w->exec_id != current->self_exec_id)
		known = ANOTHER_SPACE;
	else if (w->sequence != sequence)
		known = CHANGED_SPACE;
	w->mm = mm;
	w->start_boottime = start;
	w->exec_id = current->self_exec_id;
	w->sequence = sequence;
	return known;
}

void here_walk(struct walker *w, const struct entry_registers *from, u32 max_depth, struct bpf_dusk_stack *ret)
{
	u64 begun = ktime_get_ns();
	const u64 *frames;

	ret->outcome = walking_walk(w->walk, from, max_depth, meet(w));
	ret->nr = walking_frames(w->walk, &frames);
	ret->walk_ns = ktime_get_ns() - begun;
}
