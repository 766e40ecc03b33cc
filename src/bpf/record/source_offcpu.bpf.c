/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Record each off-CPU interval of each thread, exactly.
 *
 * At sched-out, under the run-queue lock, only the time and the reason are noted. The rest is done at sched-in, at the
 * end of schedule(): there the lock is released, and the kernel stack is still that of the sched-out.
 */
#include "bpf/unwind/aggregate.bpf.h"
#include "bpf/common/emit.bpf.h"
#include "bpf/record/kernelstack.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include "bpf/record/sched_state.bpf.h"
#include <bpf/bpf_tracing.h>
#include "abi/offcpu.h"

/* Task states (linux 6.18 include/linux/sched.h). */
#define TASK_INTERRUPTIBLE 0x01
#define TASK_UNINTERRUPTIBLE 0x02
#define TASK_STOPPED_OR_TRACED 0x0c
#define TASK_PARKED 0x40
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400
#define TASK_FROZEN 0x8000

struct task_sched_state_map task_sched_state SEC(".maps");

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

struct recording_times times SHARED("times");

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

static INLINE u64 switches(struct task_struct *t)
{
	return t->nvcsw + t->nivcsw;
}

static INLINE u32 offcpu_reason(bool preempted, u32 state)
{
	if (preempted || !state)
		return OFFCPU_PREEMPTED;
	if (state & TASK_DEAD)
		return OFFCPU_ENDED;
	if (state & TASK_STOPPED_OR_TRACED)
		return OFFCPU_STOPPED;
	if (state & TASK_INTERRUPTIBLE)
		return OFFCPU_SLEEPING;
	if (state & (TASK_PARKED | TASK_NOLOAD | TASK_FROZEN))
		return OFFCPU_IDLE;
	return OFFCPU_UNINTERRUPTIBLE;
}

static INLINE void fill_thread_times(struct event_thread_times *e, struct task_struct *t,
				     const struct task_sched_state *w, u64 end_ns)
{
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

static INLINE void send_thread_times(struct task_struct *t, const struct task_sched_state *w, u32 kind, u64 end_ns)
{
	struct event_thread_times e = {.kind = kind};

	fill_thread_times(&e, t, w, end_ns);
	if (emit(&events, &e, sizeof(e), NULL, false))
		count(COUNT_LOST_THREADS, 1);
}

/*
 * Find the state of @t. If there is none yet and @t is recorded, make it: on CPU or, if @off_cpu, off CPU for reason
 * @state, since the recording began, or since the birth of @t if that was later. NULL: not recorded, or no memory.
 */
static INLINE struct task_sched_state *find(struct task_struct *t, bool off_cpu, u32 state)
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
	w->switches = switches(t);
	w->state = born ? OFFCPU_BORN : state;
	send_thread_times(t, w, EVENT_THREAD, 0);
	return w;
}

/* How much of @off_ns was @t runnable? */
static INLINE u64 runnable_ns(struct task_struct *t, const struct task_sched_state *w, u64 off_ns)
{
	u64 waited_ns;

	if (w->state == OFFCPU_PREEMPTED || w->state == OFFCPU_BORN)
		return off_ns;
	waited_ns = t->sched_info.run_delay - w->run_delay;
	return waited_ns < off_ns ? waited_ns : off_ns;
}

static INLINE void add(struct task_sched_state *w, u64 off_ns, u64 waited_ns)
{
	w->runnable_ns += waited_ns;
	w->blocked_ns += off_ns - waited_ns;
	w->intervals++;
}

/*
 * The time at which @w ends for the recording: the end of the recording; or the thread's last switch, if that came
 * later and its program did not know yet that the recording had ended.
 */
static INLINE u64 last_ns(const struct task_sched_state *w)
{
	return w->since_ns > times.stop_ns ? w->since_ns : times.stop_ns;
}

/* Send an interval that went on when the recording ended, of a thread that ran since: its stack is not known. */
static INLINE void send_unended(struct task_struct *t, struct task_sched_state *w)
{
	struct event_offcpu e = {
		.kind = EVENT_OFFCPU,
		.time_ns = times.stop_ns,
		.pid = t->tgid,
		.tid = w->tid,
		.count = 1,
	};

	e.off_ns = times.stop_ns - w->since_ns;
	e.runnable_ns = runnable_ns(t, w, e.off_ns);
	e.state = w->state;
	e.outcome = EXITED;
	bpf_get_current_comm(e.comm, sizeof(e.comm));
	add(w, e.off_ns, e.runnable_ns);
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
		w->on_cpu_ns += last_ns(w) - w->since_ns;
	w->state = OFFCPU_ENDED;
	send_thread_times(t, w, EVENT_THREAD_TIMES, last_ns(w));
}

static INLINE void switch_out(struct task_struct *t, bool preempted, u32 state, u64 now_ns)
{
	struct task_sched_state *w = find(t, false, 0);

	if (!w || w->off_cpu)
		return;
	w->on_cpu_ns += now_ns - w->since_ns;
	w->since_ns = now_ns;
	w->run_delay = t->sched_info.run_delay;
	w->switches = switches(t);
	w->state = offcpu_reason(preempted, state);
	w->off_cpu = 1;
	if (w->state == OFFCPU_ENDED)
		send_thread_times(t, w, EVENT_THREAD_TIMES, now_ns);
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

/* The event, in scratch memory behind the kernel's frames: the functions that we call need the BPF stack. */
static INLINE struct event_offcpu *event_behind(struct stack *s)
{
	return (struct event_offcpu *)&s->frame[MAX_KERNEL_FRAMES];
}

/*
 * Decide whether to record this interval, where not all can be. Off-CPU intervals of at least certain_ns are always
 * recorded; a shorter one with probability off_ns / certain_ns. A recorded short one then stands for certain_ns, so
 * that the sums are right on average. False: not this one.
 */
static INLINE bool is_selected(struct event_offcpu *e)
{
	u64 certain_ns = load_relaxed(&times.certain_ns), off_ns = e->off_ns;

	e->count = 1;
	if (off_ns >= certain_ns)
		return true;
	if ((bpf_get_prandom_u32() * certain_ns) >> 32 >= off_ns)
		return false;
	e->sampled = 1;
	e->count = (certain_ns + bpf_get_prandom_u32() % off_ns) / off_ns;
	e->runnable_ns = e->runnable_ns * certain_ns / off_ns;
	e->off_ns = certain_ns;
	return true;
}

/* Send the interval as an event of its own. */
static INLINE void send_interval(struct event_offcpu *e, const struct dusk_unwind *u, struct stack *s)
{
	bool whole = !e->kernel_stack && s->nr;

	if (whole)
		count_total(COUNT_STACKS_INLINE, 1);
	e->cookie = u->cookie;
	e->user_stack = u->stack;
	e->outcome = u->outcome;
	e->nr = whole ? s->nr : 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
	if (emit(&events, e, sizeof(*e) + (e->woken ? sizeof(struct event_waker) : 0), whole ? s : NULL, false))
		count(COUNT_LOST_OFFCPU, 1);
}

/* No lock is needed: the thread cannot be woken again before its next sched-out, which comes after this. */
static INLINE void take_waker(struct event_offcpu *e, struct task_sched_state *w)
{
	if (!w->waker.kind)
		return;
	e->woken = 1;
	__builtin_memcpy(e->frame, &w->waker, sizeof(w->waker));
	w->waker.kind = WAKER_NONE;
}

/* Add the interval to the sum of its thread, stacks and off-CPU reason. */
static INLINE void aggregate(const struct event_offcpu *e, int err, const struct dusk_unwind *u)
{
	struct task_sum what = {
		.key = offcpu_key(e->tid, e->kernel_stack, e->state),
		.amount = e->off_ns,
		.part = e->runnable_ns,
		.count = e->count,
		.consumer = unwind_handle(CONSUMER_RECORDER),
	};
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);

	aggregate_resolved(&what, err, u);
	grace_leave(&registry.grace, cpu, phase);
}

/* Request the stack that was answered at once again, to compare both: the event gets this cookie, too. */
static INLINE void verify(struct event_offcpu *e, struct dusk_unwind *u)
{
	struct dusk_unwind again;

	dusk_unwind_request(CONSUMER_RECORDER, &again);
	u->cookie = again.cookie;
	e->cached = again.cookie != 0;
}

static INLINE void account(struct event_offcpu *e, void *ctx, struct stack *s)
{
	struct dusk_unwind u;
	int err;

	e->kernel_stack = kernelstack_of_interval(ctx, s);
	err = dusk_unwind_try(&u);
	if (err < 0)
		err = dusk_unwind_request(CONSUMER_RECORDER, &u);
	else if (filter.verify)
		verify(e, &u);
	if ((!e->sampled && e->off_ns >= filter.min_block_ns) || (!e->kernel_stack && s->nr))
		send_interval(e, &u, s);
	else
		aggregate(e, err, &u);
}

/* A thread that calls execve() takes over the process's tid (linux 6.18 fs/exec.c, de_thread()): begin new times. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(change_tid, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	struct task_sched_state *w = bpf_task_storage_get(&task_sched_state, t, 0, 0);
	u64 now_ns = bpf_ktime_get_ns();

	if (!w || !w->start_ns || old_tid == t->pid || !is_recording(now_ns))
		return 0;
	w->on_cpu_ns += now_ns - w->since_ns;
	send_thread_times(t, w, EVENT_THREAD_TIMES, now_ns);
	w->tid = t->pid;
	w->start_ns = w->since_ns = now_ns;
	w->on_cpu_ns = w->runnable_ns = w->blocked_ns = w->intervals = 0;
	send_thread_times(t, w, EVENT_THREAD, 0);
	return 0;
}

/* The time of the switch to @t, which was the last one on this CPU; or now, if on_sched_out() did not see it. */
static INLINE u64 back_since_ns(const struct switch_made *made, const struct task_struct *t)
{
	return made->tid == t->pid ? made->time_ns : bpf_ktime_get_ns();
}

static INLINE void fill_interval(struct event_offcpu *e, struct task_struct *t, const struct task_sched_state *w,
				 u64 now_ns)
{
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_OFFCPU;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now_ns;
	e->off_ns = now_ns - w->since_ns;
	e->runnable_ns = runnable_ns(t, w, e->off_ns);
	e->state = w->state;
	e->pid = t->tgid;
	e->tid = w->tid;
}

static INLINE void switch_in(struct task_struct *t, void *ctx, u64 now_ns)
{
	struct task_sched_state *w = find(t, true, OFFCPU_SLEEPING);
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
	e = event_behind(s);
	fill_interval(e, t, w, now_ns);
	w->off_cpu = 0;
	w->since_ns = now_ns;
	add(w, e->off_ns, e->runnable_ns);
	if (filter.wakers)
		take_waker(e, w);
	if (is_selected(e))
		account(e, ctx, s);
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

/* Write the interval of a thread that is off CPU when the recording ends. */
static INLINE void write_unended(struct seq_file *seq, struct task_struct *t, const struct task_sched_state *w,
				 u64 off_ns)
{
	struct event_offcpu e = {
		.kind = EVENT_OFFCPU,
		.time_ns = times.stop_ns,
		.off_ns = off_ns,
		.runnable_ns = runnable_ns(t, w, off_ns),
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
		if (switches(t) != w->switches)
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
	u64 end_ns = last_ns(&w), since_ns = end_ns - w.since_ns;
	struct event_thread_times e = {.kind = EVENT_THREAD_TIMES};

	known->reported = 1;
	if (w.off_cpu && since_ns) {
		write_unended(seq, t, &w, since_ns);
		add(&w, since_ns, runnable_ns(t, &w, since_ns));
	} else {
		w.on_cpu_ns += since_ns;
	}
	fill_thread_times(&e, t, &w, end_ns);
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
	if (filter.filter_cgroup) /* task_wanted() knows the cgroup of the current task only */
		w = bpf_task_storage_get(&task_sched_state, t, 0, 0);
	else
		w = find(t, !t->on_cpu, offcpu_reason(false, t->__state));
	if (w && w->start_ns && times.stop_ns && w->state != OFFCPU_ENDED && w->start_ns < times.stop_ns)
		flush_task(ctx->meta->seq, t, w);
	return 0;
}
