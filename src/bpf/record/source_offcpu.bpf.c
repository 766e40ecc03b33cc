/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Record each off-CPU interval of each thread, exactly.
 *
 * At sched-out, under the run-queue lock, only the time and the reason are noted. The rest is done at sched-in, at the
 * end of schedule(): there the lock is released, and the kernel stack is still that of the sched-out.
 */
#include "bpf/common/emit.bpf.h"
#include "bpf/record/interval.bpf.h"
#include "bpf/record/threads.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include <bpf/bpf_tracing.h>
#include "abi/offcpu.h"

/* Measure our own overhead on every 61st switch. Prime, so that periodic workloads do not alias. */
#define MEASURED_EVERY 61

/* The last switch that was seen on this CPU: when, and to which task. */
struct switch_made {
	u64 time_ns;
	u32 tid, turn;
	u64 measured_ns; /* start of the measurement of our overhead; 0: this switch is not measured */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct switch_made);
} switched SEC(".maps");

static INLINE struct switch_made *last_switch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&switched, &zero);
}

/* The start is kept in map memory: in a variable, it would double the states that the verifier has to follow. */
static INLINE void begin_measuring(struct switch_made *made, u64 now_ns)
{
	made->measured_ns = made->turn ? 0 : now_ns ?: bpf_ktime_get_ns();
}

static INLINE void end_measuring(void)
{
	struct switch_made *made = last_switch();

	if (made && made->measured_ns)
		count(COUNT_SWITCH_NS, (bpf_ktime_get_ns() - made->measured_ns) * MEASURED_EVERY);
}

/* Send an interval that went on when the recording ended, of a thread that ran since: its stack is not known. */
static INLINE void send_unended(struct task_struct *t, struct task_sched_state *w)
{
	struct event_offcpu e = {
		.kind = EVENT_OFFCPU,
		.time_ns = times.stop_ns,
		.cgroup = task_cgroup(t),
		.pid = t->tgid,
		.tid = w->tid,
		.count = 1,
	};

	e.off_ns = times.stop_ns - w->since_ns;
	e.runnable_ns = task_runnable_ns(t, w, e.off_ns);
	e.state = w->state;
	e.outcome = EXITED;
	bpf_get_current_comm(e.comm, sizeof(e.comm));
	thread_add_interval(w, e.off_ns, e.runnable_ns);
	count(COUNT_OFFCPU_UNENDED, 1);
	if (emit(&events, &e, sizeof(e), NULL, false))
		count(COUNT_LOST_OFFCPU, 1);
}

/* Report a thread that exits after the recording has ended and before iter_tasks() runs, which will not see it. */
static INLINE void exited_after_stop(struct task_struct *t)
{
	struct task_sched_state *w = bpf_task_storage_get(&task_sched_state, t, 0, 0);

	if (!w || w->reported || w->state == OFFCPU_ENDED || !w->start_ns || w->start_ns >= times.stop_ns)
		return;
	if (w->off_cpu && w->since_ns < times.stop_ns)
		send_unended(t, w);
	else if (!w->off_cpu)
		w->on_cpu_ns += thread_last_ns(w) - w->since_ns;
	w->state = OFFCPU_ENDED;
	thread_times_send(t, w, EVENT_THREAD_TIMES, thread_last_ns(w));
}

static INLINE void switch_out(struct task_struct *t, bool preempted, u32 state, u64 now_ns)
{
	struct task_sched_state *w = thread_find(t, false, 0);

	if (!w || w->off_cpu)
		return;
	w->on_cpu_ns += now_ns - w->since_ns;
	w->since_ns = now_ns;
	w->run_delay = t->sched_info.run_delay;
	w->switches = task_switches(t);
	w->state = offcpu_reason(t, preempted, state);
	w->off_cpu = 1;
	if (w->state == OFFCPU_ENDED)
		thread_times_send(t, w, EVENT_THREAD_TIMES, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_out, bool preempted, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct switch_made *made = last_switch();
	u64 now_ns = bpf_ktime_get_ns();

	if (!made)
		return 0;
	made->time_ns = now_ns;
	made->tid = next->pid;
	made->turn = made->turn ? made->turn - 1 : MEASURED_EVERY - 1;
	if (!is_recording(now_ns)) {
		if (times.stop_ns && state & TASK_DEAD)
			exited_after_stop(prev);
		return 0;
	}
	begin_measuring(made, now_ns);
	switch_out(prev, preempted, state, now_ns);
	if (!made->turn)
		count(COUNT_SWITCHES, MEASURED_EVERY);
	end_measuring();
	return 0;
}

/* The time of the switch to @t, which was the last one on this CPU; or now, if on_sched_out() did not see it. */
static INLINE u64 back_since_ns(const struct switch_made *made, const struct task_struct *t)
{
	return made->tid == t->pid ? made->time_ns : bpf_ktime_get_ns();
}

static INLINE void switch_in(struct task_struct *t, void *ctx, u64 now_ns)
{
	struct task_sched_state *w = thread_find(t, true, OFFCPU_SLEEPING);
	struct event_offcpu *e;
	struct stack *s;

	if (!w || !w->off_cpu)
		return;
	count(COUNT_OFFCPU_INTERVALS, 1);
	s = scratch_get();
	if (!s) {
		count(COUNT_LOST_OFFCPU, 1);
		return;
	}
	e = interval_event(s);
	interval_fill(e, t, w, now_ns);
	w->off_cpu = 0;
	w->since_ns = now_ns;
	thread_add_interval(w, e->off_ns, e->runnable_ns);
	if (filter.wakers)
		interval_take_waker(e, w);
	if (interval_is_selected(e))
		interval_record(e, ctx, s);
	else
		count(COUNT_OFFCPU_SAMPLED_OUT, 1);
	scratch_put();
}

SEC("tp_btf/sched_exit_tp")
int BPF_PROG(on_sched_in, bool is_switch)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct switch_made *made = is_switch ? last_switch() : NULL;
	u64 now_ns;

	if (!made)
		return 0;
	now_ns = back_since_ns(made, t);
	if (!is_recording(now_ns))
		return 0;
	begin_measuring(made, 0);
	switch_in(t, ctx, now_ns);
	end_measuring();
	return 0;
}
