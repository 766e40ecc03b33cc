/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walk the stack of the current task for all consumers that wait for it. Whether the walk may sleep depends on the
 * port_wait() that is linked.
 */
#pragma once
#include "bpf/common/resolve.bpf.h"
#include "bpf/common/registers.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/common/walkers.bpf.h"
#include "bpf/arch/context.bpf.h"
#include <bpf/bpf_core_read.h>

/* Drop what the walker knows of mappings if it is of another address space, or if mappings may have changed. */
static INLINE void check_space(struct walker *w, struct task_struct *t, struct mm_struct *mm)
{
	u64 start = t->group_leader->start_boottime;
	u32 sequence = 0;

	if (bpf_core_field_exists(mm->mm_lock_seq))
		sequence = mm->mm_lock_seq.sequence;
	if (w->mm != (u64)mm || w->start_boottime != start || w->exec_id != t->self_exec_id ||
	    w->evictions != registry.evictions)
		modules_reset(&w->walk.modules);
	else if (w->mm_sequence != sequence || !bpf_core_field_exists(mm->mm_lock_seq))
		modules_distrust(&w->walk.modules);
	w->mm = (u64)mm;
	w->start_boottime = start;
	w->exec_id = t->self_exec_id;
	w->mm_sequence = sequence;
	w->evictions = registry.evictions;
	w->walk.lang.space = load_relaxed(&w->mm) ^ start << 20; /* of a pointer the verifier allows no arithmetic */
	w->walk.lang.thread_pointer = registry.no_languages ? 0 : thread_pointer(t);
	w->walk.modules.now_s = registry.now_s;
}

/*
 * Has execve() replaced the program since the request? 0: no; else the outcome. execve() replaces the memory first and
 * the registers last: in between there is no user stack.
 */
static INLINE u32 replaced(const struct task_state *st, struct task_struct *t, const struct pt_regs *regs)
{
	u64 nr = st->asked.call;

	if (st->mm != (u64)t->mm)
		return EXEC;
	if (st->exec_id != t->self_exec_id)
		return EXEC_NEW;
	if (nr != NR_EXECVE && nr != NR_EXECVEAT)
		return 0;
	if (pt_regs_pc(regs) != st->asked.reg[REG_PC])
		return EXEC_NEW;
	/* In execve(), the new program's registers are all 0; the old program's held the address of the file's name. */
	return st->asked.reg[REG_ARGUMENT] | st->asked.reg[REG_ARGUMENT_2] ? 0 : EXEC_NEW;
}

static INLINE void start_at(struct machine *m, const struct registers *from)
{
	__builtin_memcpy(m->reg, from->reg, sizeof(from->reg));
	if (from->call == NR_RT_SIGRETURN)
		m->reg[REG_PC] -=
			SYSCALL_BYTES; /* sigreturn() never returns there, and there is no CFI after the instruction */
}

/*
 * Set the registers to start from: those of the request, because since then a signal may have been delivered, or a
 * handler left, and what was above the stack pointer is unchanged. 0; else the outcome: why there is nothing to walk.
 */
static INLINE u32 start_from(struct machine *m, struct task_state *st, struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	u32 outcome = replaced(st, t, regs);

	if (outcome)
		return outcome;
	if (st->torn)
		registers_take(&st->asked, t, regs);
	start_at(m, &st->asked);
	return 0;
}

/* Row prefetch: the wanted row has been learnt. */
static INLINE void row_is_learnt(const struct walk *walk)
{
	if (walk->visited)
		cmpxchg(&registry.row_wanted, walk->visited, 0);
}

/*
 * Row prefetch: note the row that this walk lacked, for a walk that may fault. Only at a return address of a call or
 * system call: at other places CFI may have to be compared with the stack (core/code/cfi_quirks.c).
 */
static INLINE void want_row(const struct walk *walk, const struct task_state *st)
{
	u32 nr = walk->out.nr;
	u64 frame = at(walk->out.frame, nr - 1);

	if ((walk->outcome == PAGE_NOT_SAFE || walk->outcome == TOO_LONG) && frame_module(frame) &&
	    frame_method(frame) == BY_NOTHING && (frame_is_return(frame) || (nr == 1 && (s64)st->asked.call >= 0)))
		store_release(&registry.row_wanted, frame);
}

static INLINE void count_languages(const struct lang *l)
{
	if (l->nr_frames)
		count_total(COUNT_CODE_FRAMES, l->nr_frames);
	if (l->lost)
		count_total(COUNT_CODE_LOST, 1);
	if (l->refused)
		count_total(COUNT_CODE_REFUSED, l->refused);
}

static INLINE u32 walk(struct walker *w, struct task_state *st, struct task_struct *t, struct mm_struct *mm, bool last)
{
	struct walk *walk = &w->walk;

	check_space(w, t, mm);
	memset(&w->guard, 0, sizeof(w->guard));
	walk->max_depth = registry.max_depth;
	walk->no_cache = config.no_cache;
	walk->at_once = last;
	walk_start(walk);
	walk->lang.thread = st->lang_thread;
	if (!last)
		walk->row_wanted = load_relaxed(&registry.row_wanted);
	walk_stack(walk);
	if (last)
		want_row(walk, st);
	else
		row_is_learnt(walk);

	st->lang_thread = walk->lang.thread;
	count_languages(&walk->lang);
	count_total(COUNT_WALKS, 1);
	count_total(COUNT_FRAMES, walk->out.nr);
	count_total(COUNT_ROW_MISSES, walk->row_misses);
	count_total(COUNT_VMA_LOOKUPS, walk->modules.vma_lookups);
	return walk->outcome;
}

static INLINE void walk_and_resolve(struct walker *w, struct task_state *st, struct task_struct *t,
				    struct mm_struct *mm, struct event_stack *e, bool last)
{
	struct stack *out = &w->walk.out, *frames = NULL;

	e->outcome = start_from(&w->walk.machine, st, t);
	if (e->outcome) {
		count_total(COUNT_CLOSED_EXEC, 1);
	} else {
		e->outcome = walk(w, st, t, mm, last);
		e->walk_ns = bpf_ktime_get_ns() - w->head.since_ns;
		count_total(COUNT_WALK_NS, e->walk_ns);
		if (stackmap_put(out, &e->stack)) {
			count_total(COUNT_STACKS_INLINE, 1);
			frames = out;
			e->nr = out->nr;
		}
	}
	resolve(st, t, e, frames);
	if (!e->cookie)
		count_total(COUNT_UNASKED, 1);
}

/* If all consumers that waited have left, end the cookie without a walk and return true. */
static INLINE bool nobody_waits(struct task_state *st)
{
	u64 cookie = defer_idle(&st->defer);

	if (!cookie)
		return false;
	store_relaxed(&st->joined, 0);
	if (task_sums_take(&st->sums, cookie))
		task_sums_release(&st->sums);
	count_total(COUNT_CLOSED_IDLE, 1);
	return true;
}

/* Walk the stack of @t, the current task, for waiting consumers. Without any, walk only if it is the @last stack. */
static INLINE void unwind(struct task_state *st, struct task_struct *t, bool last)
{
	struct mm_struct *mm = t->mm;
	struct event_stack e = {.kind = EVENT_STACK, .pid = t->tgid, .tid = t->pid};
	struct walker *w;

	if ((!load_relaxed(&st->defer.word) || nobody_waits(st)) && !last)
		return;
	if (!mm) {
		task_close(st, t->pid, EXITING, COUNT_CLOSED_EXITING);
		return;
	}
	w = walker_claim(t->pid, t->tgid, &st->walker);
	if (!w) {
		task_close(st, t->pid, NO_WALKER, COUNT_CLOSED_NO_WALKER);
		return;
	}
	walk_and_resolve(w, st, t, mm, &e, last);
	st->walker = 0;
	walker_release(w);
}
