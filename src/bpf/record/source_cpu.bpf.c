/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sample CPU time by a timer on each CPU: cycles where there is a PMU, else the CPU's clock. */
#include "bpf/arch/registers.bpf.h"
#include "bpf/common/emit.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"

/*
 * Take the kernel stack, if the timer has interrupted the kernel: its id to e->kernel_stack. Returns the stack if it
 * must be sent inline, as the stackmap is full; else NULL.
 */
static INLINE struct stack *kernel_stack(struct bpf_perf_event_data *ctx, struct event_sample *e, struct stack *s)
{
	long bytes = bpf_get_stack(ctx, s->frame, MAX_KERNEL_FRAMES * sizeof(u64), 0);

	if (bytes <= 0)
		return NULL;
	s->nr = bytes / sizeof(u64);
	if (!stackmap_put(s, &e->kernel_stack))
		return NULL;
	count_total(COUNT_STACKS_INLINE, 1);
	e->nr = s->nr;
	return s;
}

static INLINE bool is_kernel(u64 ip)
{
	return (s64)ip < 0;
}

/*
 * Try for an immediate answer only if user mode was interrupted: then all user registers are saved, which is not so
 * during the kernel's entry code.
 */
static INLINE void find_user_stack(struct bpf_perf_event_data *ctx, struct event_sample *e)
{
	struct dusk_unwind u;

	if (!is_kernel(perf_regs_pc(ctx)) && dusk_unwind_try_irq(&u) >= 0) {
		e->user_stack = u.stack;
		e->outcome = u.outcome;
		if (!filter.verify)
			return;
	}
	dusk_unwind_request_at(CONSUMER_RECORDER, perf_regs_pc(ctx), &u);
	e->cookie = u.cookie;
	e->cached = u.cookie && e->user_stack;
	if (e->user_stack)
		return;
	e->user_stack = u.stack;
	e->outcome = u.outcome;
}

SEC("perf_event")
int sample_cpu(struct bpf_perf_event_data *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct event_sample e = {.kind = EVENT_SAMPLE, .source = SOURCE_CPU};
	struct stack *s, *frames = NULL;

	count(COUNT_TIMER_PERIODS, ctx->sample_period);
	if (!task_wanted(t))
		return 0;
	count(COUNT_SAMPLES, 1);
	e.time_ns = bpf_ktime_get_ns();
	e.cpu = bpf_get_smp_processor_id();
	e.cgroup = task_cgroup(t);
	e.pid = t->tgid;
	e.tid = t->pid;
	bpf_get_current_comm(e.comm, sizeof(e.comm));
	find_user_stack(ctx, &e);
	s = scratch_get();
	if (s)
		frames = kernel_stack(ctx, &e, s);
	if (emit(&events, &e, sizeof(e), frames, false))
		count(COUNT_LOST_SAMPLES, 1);
	if (s)
		scratch_put();
	return 0;
}
