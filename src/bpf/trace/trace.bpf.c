/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk trace: write the stacks of an event of tracefs to ftrace's ring buffer, next to the event:
 *
 *	sched:sched_switch <stack_id 812> <user 813> <map 5a0c11d2>
 *	sched:sched_switch <stack_id 812> <cookie 1000000002a> <map 5a0c11d2>
 *	<cookie 1000000002a> <user 813> <map 5a0c11d2>
 *
 * The user stack is known at once; or when the task returns to user mode, and then a line of its own says which stack
 * the cookie stands for. report/model/decode.c reads these lines. cli/commands/tracer.c loads the programs and sets
 * their variables.
 */
#include "bpf/common/kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <dusk/dusk.bpf.h>
#include "bpf/trace/trace.h"

#define GO_ON 1 /* perf's other readers of the event get it, too */

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile u32 trace_self; /* our own process is not traced */
const volatile u32 trace_only_wanted, trace_no_children;
u32 trace_map;			       /* the stackmap's identity */
u64 trace_events, trace_unwritten;     /* events seen; lines that did not get into the ring */
u64 trace_without[TRACE_MAX_OUTCOMES]; /* lines that name no user stack, by outcome */
u64 trace_untraced;		       /* children for which there was no room in trace_wanted */

/* By the cookie that a program is attached with; and by outcome, "" for those that are not shown, else " [name]". */
char trace_event_names[TRACE_MAX_EVENTS][TRACE_EVENT_BYTES];
char trace_outcome_names[TRACE_MAX_OUTCOMES][TRACE_OUTCOME_BYTES];

/* Processes that are traced, if trace_only_wanted. Children are added at fork. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRACE_MAX_PROCESSES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, u32);
} trace_wanted SEC(".maps");

SEC("tp_btf/sched_process_fork")
int BPF_PROG(trace_born, struct task_struct *parent, struct task_struct *child)
{
	u32 id = parent->tgid, copy, *wish = trace_only_wanted ? bpf_map_lookup_elem(&trace_wanted, &id) : NULL;

	if (!wish)
		return 0;
	copy = *wish;
	id = child->tgid;
	if (trace_no_children || id == parent->tgid)
		return 0;
	if (bpf_map_update_elem(&trace_wanted, &id, &copy, BPF_ANY))
		__sync_fetch_and_add(&trace_untraced, 1);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(trace_exec, struct task_struct *t, int old_tid, struct linux_binprm *bprm)
{
	u32 id = t->tgid, *wish = trace_only_wanted ? bpf_map_lookup_elem(&trace_wanted, &id) : NULL;

	if (wish)
		*wish = TRACE_WANTED;
	return 0;
}

/* Not at exit, during which events occur, too. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(trace_free, struct task_struct *t)
{
	u32 id = t->tgid;

	if (trace_only_wanted && t->signal->live.counter == 0)
		bpf_map_delete_elem(&trace_wanted, &id);
	return 0;
}

static INLINE bool is_traced(const struct task_struct *t)
{
	u32 id = t->tgid, *wish;

	if (id == trace_self)
		return false;
	if (!trace_only_wanted)
		return true;
	wish = bpf_map_lookup_elem(&trace_wanted, &id);
	return wish && *wish == TRACE_WANTED;
}

static INLINE void written(long bytes)
{
	if (bytes < 0)
		__sync_fetch_and_add(&trace_unwritten, 1);
}

static INLINE void note_absent(u32 stack, u32 outcome)
{
	if (!stack)
		__sync_fetch_and_add(&at(trace_without, outcome), 1);
}

/* Write an event whose user stack is @stack; 0: it has none. */
static INLINE void write_known(const char *event, u32 kernel, u32 stack, u32 outcome)
{
	static const char format[] = "%s <stack_id %u> <user %u> <map %x>%s";
	u64 words[] = {(u64)event, kernel, stack, trace_map, (u64)at(trace_outcome_names, outcome)};

	note_absent(stack, outcome);
	written(bpf_trace_vprintk(format, sizeof(format), words, sizeof(words)));
}

static INLINE void write_due(const char *event, u32 kernel, u64 cookie)
{
	static const char format[] = "%s <stack_id %u> <cookie %llx> <map %x>";
	u64 words[] = {(u64)event, kernel, cookie, trace_map};

	written(bpf_trace_vprintk(format, sizeof(format), words, sizeof(words)));
}

int dusk_unwind_done(u32 consumer, u64 cookie, u32 stack, u32 outcome)
{
	static const char format[] = "<cookie %llx> <user %u> <map %x>%s";
	u64 words[] = {cookie, stack, trace_map, (u64)at(trace_outcome_names, outcome)};

	note_absent(stack, outcome);
	written(bpf_trace_vprintk(format, sizeof(format), words, sizeof(words)));
	return 0;
}

static INLINE int trace(void *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	const char *name = at(trace_event_names, cookie);
	struct dusk_unwind u;
	u32 kernel;
	int ret = -EAGAIN;

	if (!is_traced(bpf_get_current_task_btf()))
		return GO_ON;
	if (cookie & TRACE_IN_SYSCALL)
		ret = dusk_unwind_try(&u);
	if (ret != DUSK_EXECUTED)
		ret = dusk_unwind_request(TRACE_CONSUMER, &u);
	if (ret == -ENOENT) /* the consumer is not registered yet, or not any more */
		return GO_ON;
	__sync_fetch_and_add(&trace_events, 1);
	kernel = dusk_kernel_stack(ctx, 0);
	if (ret == DUSK_EXECUTED || !u.cookie)
		write_known(name, kernel, u.stack, u.outcome);
	else
		write_due(name, kernel, u.cookie);
	return GO_ON;
}

/* For the kernel's own events. Those made by kprobe_events and uprobe_events need type kprobe: trace_probe(). */
SEC("tracepoint")
int trace_event(void *ctx)
{
	return trace(ctx);
}

SEC("kprobe")
int trace_probe(struct pt_regs *ctx)
{
	return trace(ctx);
}
