/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The recorded threads at the beginning and the end of the recording, and in execve(): what their switches do not show.
 */
#include "bpf/record/threads.bpf.h"
#include "bpf/unwind/aggregate.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include <bpf/bpf_tracing.h>
#include "abi/offcpu.h"

struct task_sched_state_map task_sched_state SEC(".maps");
struct recording_times times SHARED("times");

/* A thread that calls execve() takes over the process's tid (linux 6.18 fs/exec.c, de_thread()): begin new times. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(change_tid, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	struct task_sched_state *w = bpf_task_storage_get(&task_sched_state, t, 0, 0);
	u64 now_ns = bpf_ktime_get_ns();

	if (!w || !w->start_ns || old_tid == t->pid || !is_recording(now_ns))
		return 0;
	w->on_cpu_ns += now_ns - w->since_ns;
	thread_times_send(t, w, EVENT_THREAD_TIMES, now_ns);
	w->tid = t->pid;
	w->start_ns = w->since_ns = now_ns;
	w->on_cpu_ns = w->runnable_ns = w->blocked_ns = w->intervals = 0;
	thread_times_send(t, w, EVENT_THREAD, 0);
	return 0;
}

/* Write the interval of a thread that is off CPU when the recording ends. */
static INLINE void write_unended(struct seq_file *seq, struct task_struct *t, const struct task_sched_state *w,
				 u64 off_ns)
{
	struct event_offcpu e = {
		.kind = EVENT_OFFCPU,
		.time_ns = times.stop_ns,
		.off_ns = off_ns,
		.runnable_ns = task_runnable_ns(t, w, off_ns),
		.cgroup = task_cgroup(t),
		.pid = t->tgid,
		.tid = w->tid,
		.state = w->state,
		.outcome = PENDING,
		.unended = 1,
		.count = 1,
		.switches = w->switches,
	};
	struct stack *s = scratch_get();
	u32 nr = 0;
	long bytes;

	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), t->comm);
	if (s) { /* if it ran since the end, this is the stack of another interval */
		bytes = bpf_get_task_stack(t, s->frame, MAX_KERNEL_FRAMES * sizeof(u64), 0);
		s->nr = bytes > 0 ? bytes / sizeof(u64) : 0;
		if (task_switches(t) != w->switches)
			s->nr = 0;
		if (s->nr && stackmap_put(s, &e.kernel_stack)) {
			count_total(COUNT_STACKS_INLINE, 1);
			nr = s->nr <= MAX_KERNEL_FRAMES ? s->nr : MAX_KERNEL_FRAMES;
		}
	}
	e.nr = nr;
	bpf_seq_write(seq, &e, sizeof(e));
	if (nr)
		bpf_seq_write(seq, s->frame, nr * sizeof(u64));
	if (s)
		scratch_put();
}

/* At the end of the recording: write the thread times of @t, and the interval that has not ended. */
static INLINE void flush_task(struct seq_file *seq, struct task_struct *t, struct task_sched_state *known)
{
	struct task_sched_state w = *known;
	u64 end_ns = thread_last_ns(&w), since_ns = end_ns - w.since_ns;
	struct event_thread_times e = {.kind = EVENT_THREAD_TIMES};

	known->reported = 1;
	if (w.off_cpu && since_ns) {
		write_unended(seq, t, &w, since_ns);
		thread_add_interval(&w, since_ns, task_runnable_ns(t, &w, since_ns));
	} else {
		w.on_cpu_ns += since_ns;
	}
	thread_times_fill(&e, t, &w, end_ns);
	bpf_seq_write(seq, &e, sizeof(e));
}

/* Read at the beginning, to learn the state of each thread, and at the end, to report it. */
SEC("iter/task")
int iter_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct task_sched_state *w;

	if (!t)
		return 0;
	if (times.stop_ns)
		aggregate_without_stack(CONSUMER_RECORDER, t->pid);
	w = thread_find(t, !t->on_cpu, offcpu_reason(t, false, t->__state));
	if (w && w->start_ns && times.stop_ns && w->state != OFFCPU_ENDED && w->start_ns < times.stop_ns)
		flush_task(ctx->meta->seq, t, w);
	return 0;
}
