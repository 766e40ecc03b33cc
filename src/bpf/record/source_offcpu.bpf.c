/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where time passes off the CPU: every absence of every thread, exactly.
 *
 * Under the run-queue lock only the time is noted. What an absence was is found out when the task is back, at the end
 * of schedule(): there the lock is released, and the kernel stack is that which it left with.
 */
#include "bpf/unwind/aggregate.bpf.h"
#include "bpf/common/emit.bpf.h"
#include "bpf/record/kernelstack.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include "bpf/record/sched_state.bpf.h"
#include <bpf/bpf_tracing.h>
#include "abi/absence.h"

/* Task states (linux 6.18 include/linux/sched.h). */
#define TASK_INTERRUPTIBLE 0x01
#define TASK_UNINTERRUPTIBLE 0x02
#define TASK_STOPPED_OR_TRACED 0x0c
#define TASK_PARKED 0x40
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400
#define TASK_FROZEN 0x8000

struct whereabouts_map whereabouts SEC(".maps");

/*
 * Of one switch in so many it is measured how long we follow it. A prime: who takes turns is not always met at the
 * same.
 */
#define MEASURED_EVERY 61

/* The switch that this CPU has made last, as far as we saw it: when, and to whom. */
struct switch_made {
	u64 time_ns;
	u32 tid, turn;
	u64 measured_ns;		/* since when it is measured how long it takes us; 0: it is not */
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

/* In map memory: what the verifier would know of it would double all that it has to look at. */
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

static INLINE u32 why_away(bool preempted, u32 state)
{
	if (preempted || !state)
		return ABSENCE_PREEMPTED;
	if (state & TASK_DEAD)
		return ABSENCE_ENDED;
	if (state & TASK_STOPPED_OR_TRACED)
		return ABSENCE_STOPPED;
	if (state & TASK_INTERRUPTIBLE)
		return ABSENCE_SLEEPING;
	if (state & (TASK_PARKED | TASK_NOLOAD | TASK_FROZEN))
		return ABSENCE_IDLE;
	return ABSENCE_UNINTERRUPTIBLE;
}

static INLINE void fill_life(struct event_life *e, struct task_struct *t, const struct whereabouts *w, u64 end_ns)
{
	e->pid = t->tgid;
	e->tid = w->tid;
	e->start_ns = w->start_ns;
	e->end_ns = end_ns;
	e->on_cpu_ns = w->on_cpu_ns;
	e->runnable_ns = w->runnable_ns;
	e->blocked_ns = w->blocked_ns;
	e->absences = w->absences;
	bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), t->comm);
}

static INLINE void send_life(struct task_struct *t, const struct whereabouts *w, u32 kind, u64 end_ns)
{
	struct event_life e = { .kind = kind };

	fill_life(&e, t, w, end_ns);
	if (emit(&events, &e, sizeof(e), NULL, false))
		count(COUNT_LOST_THREADS, 1);
}

/*
 * What is known of @t; if that is nothing yet, and the recording wants it, it begins here: away since the recording
 * began, or since its birth; or on CPU since then.
 */
static INLINE struct whereabouts *find(struct task_struct *t, bool away, u32 state)
{
	struct whereabouts *w = bpf_task_storage_get(&whereabouts, t, 0, 0);
	u64 start_ns = times.start_ns;
	bool born = t->start_time > start_ns;

	if (w && w->start_ns)
		return w;
	if (!task_wanted(t) || (task_has_no_user(t) && !filter.kernel_threads))
		return NULL;
	w = bpf_task_storage_get(&whereabouts, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!w) {
		count(COUNT_LOST_THREADS, 1);
		return NULL;
	}
	w->start_ns = w->since_ns = born ? t->start_time : start_ns;
	w->tid = t->pid;
	w->away = away;
	w->switches = switches(t);
	w->state = born ? ABSENCE_BORN : state;
	send_life(t, w, EVENT_THREAD, 0);
	return w;
}

/* Of @off_ns: how long could it have run? */
static INLINE u64 runnable_ns(struct task_struct *t, const struct whereabouts *w, u64 off_ns)
{
	u64 waited_ns;

	if (w->state == ABSENCE_PREEMPTED || w->state == ABSENCE_BORN)
		return off_ns;
	waited_ns = t->sched_info.run_delay - w->run_delay;
	return waited_ns < off_ns ? waited_ns : off_ns;
}

static INLINE void add(struct whereabouts *w, u64 off_ns, u64 waited_ns)
{
	w->runnable_ns += waited_ns;
	w->blocked_ns += off_ns - waited_ns;
	w->absences++;
}

/*
 * When does the life of @w end for the recording? With it; or at the last switch, if that came after the end, but before
 * all programs could know of it.
 */
static INLINE u64 life_end_ns(const struct whereabouts *w)
{
	return w->since_ns > times.stop_ns ? w->since_ns : times.stop_ns;
}

/* It was off CPU when the recording ended, and has been back since: where it was is not known any more. */
static INLINE void send_unended(struct task_struct *t, struct whereabouts *w)
{
	struct event_absence e = {
		.kind = EVENT_ABSENCE, .time_ns = times.stop_ns, .pid = t->tgid, .tid = w->tid, .count = 1,
	};

	e.off_ns = times.stop_ns - w->since_ns;
	e.runnable_ns = runnable_ns(t, w, e.off_ns);
	e.state = w->state;
	e.outcome = EXITED;
	bpf_get_current_comm(e.comm, sizeof(e.comm));
	add(w, e.off_ns, e.runnable_ns);
	if (emit(&events, &e, sizeof(e), NULL, false))
		count(COUNT_LOST_ABSENCES, 1);
}

/* It ends after the recording, and before stock is taken: that will not meet it. */
static INLINE void ended_late(struct task_struct *t)
{
	struct whereabouts *w = bpf_task_storage_get(&whereabouts, t, 0, 0);

	if (!w || w->told || w->state == ABSENCE_ENDED || !w->start_ns || w->start_ns >= times.stop_ns)
		return;
	if (w->away && w->since_ns < times.stop_ns)
		send_unended(t, w);
	else if (!w->away)
		w->on_cpu_ns += life_end_ns(w) - w->since_ns;
	w->state = ABSENCE_ENDED;
	send_life(t, w, EVENT_LIFE, life_end_ns(w));
}

static INLINE void leave(struct task_struct *t, bool preempted, u32 state, u64 now_ns)
{
	struct whereabouts *w = find(t, false, 0);

	if (!w || w->away)
		return;
	w->on_cpu_ns += now_ns - w->since_ns;
	w->since_ns = now_ns;
	w->run_delay = t->sched_info.run_delay;
	w->switches = switches(t);
	w->state = why_away(preempted, state);
	w->away = 1;
	if (w->state == ABSENCE_ENDED)
		send_life(t, w, EVENT_LIFE, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(leave_cpu, bool preempted, struct task_struct *prev, struct task_struct *next, unsigned int state)
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
			ended_late(prev);
		return 0;
	}
	begin_measuring(made, now_ns);
	leave(prev, preempted, state, now_ns);
	if (!made->turn)
		count(COUNT_SWITCHES, MEASURED_EVERY);
	end_measuring();
	return 0;
}

/* In scratch memory, behind the kernel's frames: those whom we call need our stack. */
static INLINE struct event_absence *event_behind(struct stack *s)
{
	return (struct event_absence *)&s->frame[MAX_KERNEL_FRAMES];
}

/*
 * Which absences are taken, where not all can be: all that are long enough, and of the shorter ones each nanosecond
 * with the same chance. So one that is taken stands for as much time as the shortest that is certain to be, and the
 * sums are right in the mean. False: not this one.
 */
static INLINE bool take(struct event_absence *e)
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

/* One by one. */
static INLINE void send_absence(struct event_absence *e, const struct dusk_unwind *u, struct stack *s)
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
		count(COUNT_LOST_ABSENCES, 1);
}

/* Nobody can wake the thread again before it has left again, which it does after this. */
static INLINE void take_waker(struct event_absence *e, struct whereabouts *w)
{
	if (!w->waker.kind)
		return;
	e->woken = 1;
	__builtin_memcpy(e->frame, &w->waker, sizeof(w->waker));
	w->waker.kind = WAKER_NONE;
}

/* To the sum of the thread, its stacks and its reason. */
static INLINE void sum_up(const struct event_absence *e, int err, const struct dusk_unwind *u)
{
	struct charge what = {
		.key = absence_key(e->tid, e->kernel_stack, e->state), .amount = e->off_ns, .part = e->runnable_ns,
		.count = e->count,
		.consumer = unwind_handle(CONSUMER_RECORDER),
	};
	u32 cpu = bpf_get_smp_processor_id(), phase = grace_enter(&registry.grace, cpu);

	charge_answered(&what, err, u);
	grace_leave(&registry.grace, cpu, phase);
}

/* The stack that is known, and the cookie of the same walked again. */
static INLINE void verify(struct event_absence *e, struct dusk_unwind *u)
{
	struct dusk_unwind again;

	dusk_unwind_request(CONSUMER_RECORDER, &again);
	u->cookie = again.cookie;
	e->known = again.cookie != 0;
}

static INLINE void account(struct event_absence *e, void *ctx, struct stack *s)
{
	struct dusk_unwind u;
	int err;

	e->kernel_stack = kernelstack_of_absence(ctx, s);
	err = dusk_unwind_known(&u);
	if (err < 0)
		err = dusk_unwind_request(CONSUMER_RECORDER, &u);
	else if (filter.verify)
		verify(e, &u);
	if ((!e->sampled && e->off_ns >= filter.min_block_ns) || (!e->kernel_stack && s->nr))
		send_absence(e, &u, s);
	else
		sum_up(e, err, &u);
}

/* A thread that calls execve() goes on under the process's tid (linux 6.18 fs/exec.c, de_thread()): another life. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(change_tid, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	struct whereabouts *w = bpf_task_storage_get(&whereabouts, t, 0, 0);
	u64 now_ns = bpf_ktime_get_ns();

	if (!w || !w->start_ns || old_tid == t->pid || !is_recording(now_ns))
		return 0;
	w->on_cpu_ns += now_ns - w->since_ns;
	send_life(t, w, EVENT_LIFE, now_ns);
	w->tid = t->pid;
	w->start_ns = w->since_ns = now_ns;
	w->on_cpu_ns = w->runnable_ns = w->blocked_ns = w->absences = 0;
	send_life(t, w, EVENT_THREAD, 0);
	return 0;
}

/* The switch to the current task was the last one here, unless it was not told: from some tasks it may not be. */
static INLINE u64 back_since_ns(const struct switch_made *made, const struct task_struct *t)
{
	return made->tid == t->pid ? made->time_ns : bpf_ktime_get_ns();
}

static INLINE void fill_absence(struct event_absence *e, struct task_struct *t, const struct whereabouts *w, u64 now_ns)
{
	memset(e, 0, sizeof(*e));
	e->kind = EVENT_ABSENCE;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now_ns;
	e->off_ns = now_ns - w->since_ns;
	e->runnable_ns = runnable_ns(t, w, e->off_ns);
	e->state = w->state;
	e->pid = t->tgid;
	e->tid = w->tid;
}

static INLINE void come(struct task_struct *t, void *ctx, u64 now_ns)
{
	struct whereabouts *w = find(t, true, ABSENCE_SLEEPING);
	struct event_absence *e;
	struct stack *s;

	if (!w || !w->away)
		return;
	count(COUNT_ABSENCES, 1);
	s = scratch_get();
	if (!s) {
		count(COUNT_LOST_ABSENCES, 1);
		return;
	}
	e = event_behind(s);
	fill_absence(e, t, w, now_ns);
	w->away = 0;
	w->since_ns = now_ns;
	add(w, e->off_ns, e->runnable_ns);
	if (filter.wakers)
		take_waker(e, w);
	if (take(e))
		account(e, ctx, s);
	else
		count(COUNT_ABSENCES_SAMPLED_OUT, 1);
	scratch_put();
}

SEC("tp_btf/sched_exit_tp")
int BPF_PROG(come_back, bool is_switch)
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
	come(t, ctx, now_ns);
	end_measuring();
	return 0;
}

/* Still off CPU when the recording ends. */
static INLINE void write_unended(struct seq_file *seq, struct task_struct *t, const struct whereabouts *w, u64 off_ns)
{
	struct event_absence e = {
		.kind = EVENT_ABSENCE, .time_ns = times.stop_ns, .off_ns = off_ns, .runnable_ns = runnable_ns(t, w, off_ns),
		.pid = t->tgid, .tid = w->tid, .state = w->state, .outcome = PENDING, .unended = 1, .count = 1,
		.switches = w->switches,
	};
	struct stack *s = scratch_get();
	u32 nr = 0;
	long bytes;

	bpf_probe_read_kernel_str(e.comm, sizeof(e.comm), t->comm);
	if (s) {		/* if it has been back since the end, this is another absence */
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

/* The end of the recording: what of the thread's life has not been told. */
static INLINE void close_books(struct seq_file *seq, struct task_struct *t, struct whereabouts *known)
{
	struct whereabouts w = *known;
	u64 end_ns = life_end_ns(&w), since_ns = end_ns - w.since_ns;
	struct event_life e = { .kind = EVENT_LIFE };

	known->told = 1;
	if (w.away && since_ns) {
		write_unended(seq, t, &w, since_ns);
		add(&w, since_ns, runnable_ns(t, &w, since_ns));
	} else {
		w.on_cpu_ns += since_ns;
	}
	fill_life(&e, t, &w, end_ns);
	bpf_seq_write(seq, &e, sizeof(e));
}

/* Run at the beginning, so that each thread's state is known, and at the end. */
SEC("iter/task")
int take_stock(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct whereabouts *w;

	if (!t)
		return 0;
	if (times.stop_ns)
		charge_without_stack(CONSUMER_RECORDER, t->pid);
	if (filter.filter_cgroup)	/* whose is @t? task_wanted() tells that only of the current task */
		w = bpf_task_storage_get(&whereabouts, t, 0, 0);
	else
		w = find(t, !t->on_cpu, why_away(false, t->__state));
	if (w && w->start_ns && times.stop_ns && w->state != ABSENCE_ENDED && w->start_ns < times.stop_ns)
		close_books(ctx->meta->seq, t, w);
	return 0;
}
