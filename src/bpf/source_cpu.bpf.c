/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the CPU's time goes: a timer on each CPU, cycles where there is a PMU, else the CPU's clock. */
#include "emit.bpf.h"
#include "request.bpf.h"

/*
 * The kernel's stack, if the timer hit the kernel: its id in e->kernel_stack; or, if the table is full, what to send.
 */
static INLINE const struct stack *kernel_stack(struct bpf_perf_event_data *ctx, struct event_sample *e)
{
	u32 zero = 0;
	struct stack *s = bpf_map_lookup_elem(&sampling, &zero);
	long bytes;

	if (!s)
		return NULL;
	bytes = bpf_get_stack(ctx, s->frame, MAX_KERNEL_FRAMES * sizeof(u64), 0);
	if (bytes <= 0)
		return NULL;
	s->nr = bytes / sizeof(u64);
	if (!stacktable_put(&stacktable, s, &e->kernel_stack))
		return NULL;
	count(COUNT_STACKS_INLINE, 1);
	e->nr = s->nr;
	return s;
}

SEC("perf_event")
int sample_cpu(struct bpf_perf_event_data *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct event_sample e = { .kind = EVENT_SAMPLE, .source = SOURCE_CPU };
	const struct stack *whole;

	if (!task_wanted(t))
		return 0;
	count(COUNT_SAMPLES, 1);
	e.time_ns = bpf_ktime_get_ns();
	e.cpu = bpf_get_smp_processor_id();
	e.pid = t->tgid;
	e.tid = t->pid;
	bpf_get_current_comm(e.comm, sizeof(e.comm));
	if (task_has_no_user(t) || !t->mm) {
		count(COUNT_NO_USER, 1);
		e.outcome = task_has_no_user(t) ? KERNEL_THREAD : EXITED;
	} else {
		e.cookie = request_stack(t, CONSUMER_CPU, ctx->regs.ip, &e.outcome);
	}
	whole = kernel_stack(ctx, &e);
	emit_sample(&e, whole);
	return 0;
}
