/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does it cost to keep a stack once: in the stackmap, in a hash map keyed by it, in the kernel's own stack map? */
#include "bpf/common/kernel.h"
#include "bpf/common/stackmap.bpf.h"
#include <bpf/bpf_helpers.h>
#include "stackmap.h"

#define MAP_TYPE_STACK_TRACE 7
#define USER_STACK (1 << 8)

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack);
} stack SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct bench_key);
	__type(value, __u64);
} by_stack SEC(".maps");

struct {
	__uint(type, MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 127 * sizeof(__u64));
} by_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bench_job);
} jobs SEC(".maps");

struct bench_run {
	struct bench_job *job;
	struct stack *stack;
	void *ctx;
};

/* The stack of this turn: its outermost frames are those of all. */
static __always_inline void choose(struct bench_run *r, __u32 turn)
{
	__u32 n = r->job->first + turn * r->job->stride;

	if (r->job->span)
		n %= r->job->span;
	r->stack->frame[0] = 0xffffffff81000000 + n * 16;
	r->stack->frame[1] = 0xffffffff82000000 + (n >> 4);
	r->stack->nr = r->job->depth;
}

static long put_nothing(__u32 turn, struct bench_run *r)
{
	choose(r, turn);
	return 0;
}

static long put_stackmap(__u32 turn, struct bench_run *r)
{
	u32 id = 0;

	choose(r, turn);
	if (stackmap_put(r->stack, &id))
		r->job->refused++;
	r->job->id = id;
	return 0;
}

/* What is remembered is only counted: the id of the stack that was put last, or of @stride neighbours of it in turn. */
static long put_again(__u32 turn, struct bench_run *r)
{
	choose(r, turn);
	stackmap_again(r->job->id + turn % r->job->stride, 1);
	return 0;
}

static long put_hash(__u32 turn, struct bench_run *r)
{
	__u64 one = 1, *count;

	choose(r, turn);
	count = bpf_map_lookup_elem(&by_stack, r->stack->frame);
	if (count)
		__sync_fetch_and_add(count, 1);
	else if (bpf_map_update_elem(&by_stack, r->stack->frame, &one, BPF_NOEXIST))
		r->job->refused++;
	return 0;
}

/* The kernel takes the stack and keeps it in one: less what taking it costs is what keeping it costs. */
static long take_stack(__u32 turn, struct bench_run *r)
{
	long bytes = bpf_get_stack(r->ctx, r->stack->frame, 127 * sizeof(__u64), USER_STACK);

	r->job->id = bytes > 0 ? bytes / sizeof(__u64) : 0;
	return 0;
}

static long put_stackid(__u32 turn, struct bench_run *r)
{
	if (bpf_get_stackid(r->ctx, &by_hash, USER_STACK) < 0)
		r->job->refused++;
	return 0;
}

static long put_taken(__u32 turn, struct bench_run *r)
{
	long bytes = bpf_get_stack(r->ctx, r->stack->frame, 127 * sizeof(__u64), USER_STACK);
	u32 id;

	r->stack->nr = bytes > 0 ? bytes / sizeof(__u64) : 0;
	if (bytes <= 0 || stackmap_put(r->stack, &id))
		r->job->refused++;
	return 0;
}

#define PROGRAM(kind)                                         \
	SEC("raw_tp")                                         \
	int bench_##kind(void *ctx)                           \
	{                                                     \
		struct bench_run r = {.ctx = ctx};            \
		__u32 zero = 0;                               \
		__u64 begin;                                  \
                                                              \
		r.job = bpf_map_lookup_elem(&jobs, &zero);    \
		r.stack = bpf_map_lookup_elem(&stack, &zero); \
		if (!r.job || !r.stack)                       \
			return 0;                             \
		begin = bpf_ktime_get_ns();                   \
		bpf_loop(r.job->nr, kind, &r, 0);             \
		r.job->ns = bpf_ktime_get_ns() - begin;       \
		return 0;                                     \
	}
PROGRAM(put_nothing)
PROGRAM(put_stackmap)
PROGRAM(put_again)
PROGRAM(put_hash)
PROGRAM(take_stack)
PROGRAM(put_stackid)
PROGRAM(put_taken)
