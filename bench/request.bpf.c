/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does a request cost, by what comes of it? Asks at each system call of one process, and times itself. */
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include <dusk/dusk.bpf.h>
#include "request.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct setting);
} settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NR_COSTS);
	__type(key, __u32);
	__type(value, struct cost);
} costs SEC(".maps");

/* One process with one thread: no two of these run at once but in interrupts of each other. */
static __always_inline void add(__u32 kind, __u64 begin)
{
	__u64 end = bpf_ktime_get_ns();
	struct cost *c = bpf_map_lookup_elem(&costs, &kind);

	if (!c)
		return;
	c->ns += end - begin;
	c->count++;
}

static __always_inline void ask(__u32 consumer, int again)
{
	__u64 begin = bpf_ktime_get_ns();
	struct dusk_unwind u;
	int ret = dusk_unwind_request(consumer, &u);

	if (ret == DUSK_EXECUTED)
		add(COST_EXECUTED, begin);
	else if (ret == DUSK_PENDING)
		add(again ? COST_PENDING : COST_JOINED, begin);
	else if (ret == DUSK_QUEUED)
		add(COST_QUEUED, begin);
}

static long ask_each(__u32 turn, struct setting *s)
{
	__u32 consumer = turn < s->consumers ? turn : 0; /* and the first one once more */
	struct dusk_unwind u;

	if (s->timed)
		ask(consumer, turn >= s->consumers);
	else
		dusk_unwind_request(consumer, &u);
	return 0;
}

static __always_inline struct setting *wanted(void)
{
	__u32 zero = 0;
	struct setting *s = bpf_map_lookup_elem(&settings, &zero);

	return s && bpf_get_current_pid_tgid() >> 32 == s->tgid ? s : NULL;
}

SEC("raw_tp/sys_enter")
int at_syscall(void *ctx)
{
	struct setting *s = wanted(), copy;

	if (!s)
		return 0;
	copy = *s;
	if (copy.timed)
		add(COST_CLOCK, bpf_ktime_get_ns());
	bpf_loop(copy.consumers + copy.again, ask_each, &copy, 0);
	return 0;
}

/* The reader of a ring is woken by an interrupt while the walk is being answered: there the answer is at hand. */
SEC("raw_tp/irq_work_entry")
int at_wakeup(void *ctx)
{
	struct setting *s = wanted();

	if (s && s->after)
		ask(0, 1);
	return 0;
}
