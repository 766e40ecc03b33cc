/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recorded threads: their state, and their thread times as events. */
#pragma once
#include "bpf/common/emit.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/record/sched_state.bpf.h"

static INLINE void thread_times_fill(struct event_thread_times *e, struct task_struct *t,
				     const struct task_sched_state *w, u64 end_ns)
{
	e->cgroup = task_cgroup(t);
	e->pid = t->tgid;
	e->tid = w->tid;
	e->start_ns = w->start_ns;
	e->end_ns = end_ns;
	e->on_cpu_ns = w->on_cpu_ns;
	e->runnable_ns = w->runnable_ns;
	e->blocked_ns = w->blocked_ns;
	e->intervals = w->intervals;
	bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), t->comm);
}

/* The event is filled in the ring: the functions that our callers call need the BPF stack. */
static INLINE void thread_times_send(struct task_struct *t, const struct task_sched_state *w, u32 kind, u64 end_ns)
{
	struct event_thread_times *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count(COUNT_LOST_THREADS, 1);
		return;
	}
	e->kind = kind;
	e->pad = 0;
	thread_times_fill(e, t, w, end_ns);
	bpf_ringbuf_submit(e, wakeup(&events, false));
}

/*
 * Find the state of @t. If there is none yet and @t is recorded, make it: on CPU or, if @off_cpu, off CPU for reason
 * @state, since the recording began, or since the birth of @t if that was later. NULL: not recorded, or no memory.
 */
static INLINE struct task_sched_state *thread_find(struct task_struct *t, bool off_cpu, u32 state)
{
	struct task_sched_state *w = bpf_task_storage_get(&task_sched_state, t, 0, 0);
	u64 start_ns = times.start_ns;
	bool born = t->start_time > start_ns;

	if (w && w->start_ns)
		return w;
	if (!task_wanted(t) || (task_has_no_user(t) && !filter.kernel_threads))
		return NULL;
	w = bpf_task_storage_get(&task_sched_state, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!w) {
		count(COUNT_LOST_THREADS, 1);
		return NULL;
	}
	w->start_ns = w->since_ns = born ? t->start_time : start_ns;
	w->tid = t->pid;
	w->off_cpu = off_cpu;
	w->switches = task_switches(t);
	w->state = born ? OFFCPU_BORN : state;
	thread_times_send(t, w, EVENT_THREAD, 0);
	return w;
}

/* Add an interval of @off_ns, for @waited_ns of which the thread was runnable, to its times. */
static INLINE void thread_add_interval(struct task_sched_state *w, u64 off_ns, u64 waited_ns)
{
	w->runnable_ns += waited_ns;
	w->blocked_ns += off_ns - waited_ns;
	w->intervals++;
}

/*
 * The time at which @w ends for the recording: the end of the recording; or the thread's last switch, if that came
 * later and its program did not know yet that the recording had ended.
 */
static INLINE u64 thread_last_ns(const struct task_sched_state *w)
{
	return w->since_ns > times.stop_ns ? w->since_ns : times.stop_ns;
}
