/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Record wakers: the waker is noted in the state of the woken thread, which reports it at its sched-in.
 *
 * At sched_waking, not sched_wakeup: only in the former is the waker always the current task, as the wake-up of a task
 * of another CPU may be completed on that CPU, in an interrupt. This runs under the lock of the woken task (pi_lock),
 * and possibly in an interrupt; so the waker's user stack is requested, and walked when the waker returns to user mode.
 */
#include "bpf/common/context.bpf.h"
#include "bpf/common/emit.bpf.h"
#include "bpf/common/kernelframes.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include "bpf/record/sched_state.bpf.h"
#include <bpf/bpf_tracing.h>

static u32 nr_inline;		/* kernel stacks that were sent inline, as they had no id */
static volatile u32 own_frames; /* frames of this program and of what runs it, as last seen */

/* Does the current task itself run softirqs here, and not an interrupt on top of it? */
static INLINE bool began_softirq(const struct stack *s)
{
	for (u32 i = 0; i < MAX_KERNEL_FRAMES; i++) {
		if (i >= s->nr)
			return false;
		if (is_in(s->frame[i], &config.places.softirqs))
			return true;
	}
	return false;
}

static INLINE u32 kind_of_waker(struct task_struct *t, const struct stack *s)
{
	u32 context = preempt_count(t);

	if (!t->pid || context & IN_NMI_OR_HARDIRQ)
		return WAKER_INTERRUPT;
	return context & IN_SOFTIRQ && !began_softirq(s) ? WAKER_INTERRUPT : WAKER_TASK;
}

/* Send an inline stack now, under a number of its own, as the thread's state has no room for it. 0: it was lost. */
static INLINE u32 send_inline(const struct stack *s)
{
	struct event_kernel_stack e = {.kind = EVENT_KERNEL_STACK};

	e.number = INLINE_STACK | fetch_add(&nr_inline, 1);
	e.nr = s->nr;
	count_total(COUNT_STACKS_INLINE, 1);
	if (!emit(&events, &e, sizeof(e), s, false))
		return e.number;
	count(COUNT_LOST_STACKS, 1);
	return 0;
}

static INLINE void note_task(struct event_waker *by, struct task_struct *t)
{
	struct dusk_unwind u;

	count(COUNT_WAKERS, 1);
	dusk_unwind_request(CONSUMER_RECORDER, &u);
	by->cookie = u.cookie;
	by->user_stack = u.stack;
	by->outcome = u.outcome;
	by->cgroup = task_cgroup(t);
	by->pid = t->tgid;
	by->tid = t->pid;
	bpf_get_current_comm(by->comm, sizeof(by->comm));
}

static INLINE void note(void *ctx, struct event_waker *by, struct stack *s)
{
	struct task_struct *t = bpf_get_current_task_btf();

	get_frames_from(ctx, s, &own_frames, &config.places.wake, &config.places.wake);
	__builtin_memset(by, 0, sizeof(*by));
	by->kind = kind_of_waker(t, s);
	if (s->nr && stackmap_put(s, &by->kernel_stack))
		by->kernel_stack = send_inline(s);
	if (by->kind == WAKER_TASK)
		note_task(by, t);
}

/* Intervals that are summed up have no wakers. A preempted or throttled thread is not woken, even if the tracepoint runs for it. */
static INLINE bool is_of_interest(const struct task_sched_state *w, u64 now_ns)
{
	return w->off_cpu && w->state != OFFCPU_PREEMPTED && w->state != OFFCPU_THROTTLED && is_recording(now_ns) &&
	       now_ns - w->since_ns >= filter.min_block_ns;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(note_waker, struct task_struct *woken)
{
	struct task_sched_state *w = bpf_task_storage_get(&task_sched_state, woken, 0, 0);
	struct stack *s;

	if (!w || !is_of_interest(w, bpf_ktime_get_ns()))
		return 0;
	s = scratch_get();
	if (!s)
		return 0;
	note(ctx, &w->waker, s);
	scratch_put();
	return 0;
}
