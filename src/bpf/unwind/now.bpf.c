/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk_unwind_now(): walk the user stack at once, in the requesting program, which may sleep. <dusk/dusk.bpf.h>
 * documents the interface.
 *
 * Other consumers that wait for the stack of this visit get the same one, and their task work finds nothing left to do.
 */
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

/* Is this a place where the program's stack cannot be walked? */
static INLINE bool is_no_place(struct task_state *st, struct task_struct *t, const struct pt_regs *regs)
{
	u64 nr = call_of(t, regs);

	if (nr == NR_EXECVE || nr == NR_EXECVEAT)
		return true; /* the memory may already be the new program's, while the registers are the old one's */
	if (load_relaxed(&st->defer.word) && !visit_is_here(st, t))
		return true; /* other consumers wait for another stack, such as that before a signal */
	return load_relaxed(&st->walker);
}

static INLINE int walk_now(struct task_struct *t, struct dusk_unwind *ret)
{
	struct event_stack e = {.kind = EVENT_STACK, .pid = t->tgid, .tid = t->pid};
	struct task_state *st;
	struct task_value *v;
	struct walker *w;
	int err = find_asked(t, &v, ret);

	if (!err && !load_relaxed(&v->state.defer.word) && visit_of(&v->state, t) == VISIT_SAME)
		err = tell_last(&v->state, ret);
	if (err) {
		stackmap_again(ret->stack, 1);
		return err;
	}
	st = &v->state;
	if (is_no_place(st, t, (struct pt_regs *)bpf_task_pt_regs(t)))
		return refuse(ret, NOT_SCHEDULED, COUNT_REFUSED_NOW, -EAGAIN);
	if (!load_relaxed(&st->defer.word))
		registers_keep(st, t, 0);
	w = walker_claim(t->pid, t->tgid, &st->walker);
	if (!w)
		return refuse(ret, NO_WALKER, COUNT_REFUSED_NOW, -EAGAIN);
	walk_and_resolve(w, st, t, t->mm, &e, false);
	st->walker = 0;
	walker_release(w);
	count(COUNT_NOW, 1);
	if (e.cookie)
		stackmap_again(e.stack, 1); /* stackmap_put() has counted the stack for the first request only */
	ret->stack = e.stack;
	ret->outcome = e.nr ? STACKMAP_FULL : e.outcome;
	return DUSK_EXECUTED;
}

CORE int dusk_unwind_now(struct dusk_unwind *ret)
{
	dusk_unwind_at_uprobe();
	ret->cookie = 0;
	ret->stack = 0;
	ret->outcome = NOT_SCHEDULED;
	return walk_now(bpf_get_current_task_btf(), ret);
}
