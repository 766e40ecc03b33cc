/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Record events of tracefs: each occurrence with the record that holds its fields, and its stacks.
 *
 * The program is attached once for each event, with the event's number as its cookie. It may run wherever a tracepoint
 * is: in interrupts, under the run-queue lock, in the idle task.
 */
#include "bpf/arch/registers.bpf.h"
#include "bpf/common/emit.bpf.h"
#include "bpf/common/kernelframes.bpf.h"
#include "bpf/common/task.bpf.h"
#include "bpf/record/filter.bpf.h"
#include "bpf/record/probe_fields.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include <bpf/bpf_tracing.h>

#define GO_ON 1 /* perf's other readers of the event get it, too */

/* By event; user space sets the number of elements. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct record_shape);
} shapes SEC(".maps");

static volatile u32 own_frames; /* of the programs for system calls, and of what runs them, as last seen */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_CALLS);
	__type(key, u32);
	__type(value, struct call_events);
} calls SEC(".maps");

/* Attaching and detaching take time, so events are recorded only while this is not 0. */
u32 event_switch SHARED("switch");

/* Where an event's fields come from. */
enum record_from { FROM_CONTEXT, FROM_CALL, FROM_KPROBE, FROM_UPROBE };

/* The event, in scratch memory behind the kernel's frames: the functions that we call need the BPF stack. */
static INLINE struct event_occurrence *occurrence_behind(struct stack *s)
{
	return (struct event_occurrence *)&s->frame[MAX_KERNEL_FRAMES];
}

/* The end, in the record, of the dynamic field that the word at @place describes. */
static INLINE u32 dynamic_end(const struct event_occurrence *e, u32 place)
{
	u32 at = opaque(place) & (RECORD_BYTES - 1);
	u32 word = ((const struct word *)((const char *)e->record + at))->value;
	u32 end = (word & 0xffff) + (word >> 16);

	return place & DYNAMIC_RELATIVE ? at + sizeof(word) + end : end;
}

static INLINE long read_record(struct event_occurrence *e, void *ctx, u32 bytes)
{
	bytes = opaque(bytes);
	return bytes && bytes <= RECORD_BYTES ? bpf_probe_read_kernel(e->record, bytes, ctx) : -EINVAL;
}

/* Copy the event's record. Its first 8 bytes are set to 0, as programs get an address in their place. */
static INLINE void take_record(struct event_occurrence *e, void *ctx, const struct record_shape *shape)
{
	u32 fixed = shape->bytes, end = fixed, field;

	e->record_bytes = 0;
	e->cut = 0;
	if (!fixed)
		return;
	if (read_record(e, ctx, fixed)) {
		count(COUNT_LOST_FIELDS, 1);
		return;
	}
	for (u32 i = 0; i < MAX_DYNAMIC; i++) {
		if (i >= shape->nr_dynamic)
			break;
		field = dynamic_end(e, shape->dynamic[i]);
		if (end < field)
			end = field;
	}
	if (shape->nr_dynamic > MAX_DYNAMIC)
		end = RECORD_BYTES;
	if (end > RECORD_BYTES) {
		end = RECORD_BYTES;
		e->cut = 1;
	}
	if (end > fixed && read_record(e, ctx, end)) {
		end = fixed;
		e->cut = 1;
	}
	if (e->cut)
		count(COUNT_LOST_FIELDS, 1);
	e->record[0] = 0;
	e->record_bytes = end;
}

/* What the events of system calls would have in their records. @regs: NULL at the end of the call. */
static INLINE void make_record(struct event_occurrence *e, const struct record_shape *shape, u64 nr,
			       const struct pt_regs *regs, u64 result)
{
	e->record[0] = 0;
	e->record[1] = nr;
	if (regs)
		call_arguments(&e->record[2], regs);
	else
		e->record[2] = result;
	e->record_bytes = shape->bytes;
}

/* The record of a probe: its program gets registers in place of one. */
static INLINE void take_registers(struct event_occurrence *e, struct pt_regs *ctx, u32 event,
				  const struct record_shape *shape)
{
	struct probe_hit *h = (struct probe_hit *)e;

	if (shape->unfetched) {
		e->cut = 1;
		count(COUNT_LOST_FIELDS, 1);
	} else if (shape->bytes && !bpf_probe_read_kernel(h->reg, PT_REGS_WORDS * sizeof(u64), ctx)) {
		h->event = event;
		make_probe_record(h, shape->bytes, bpf_get_func_ip(ctx));
		e->record_bytes = h->end;
		e->cut = h->cut;
	}
}

/* Request the stack that was answered at once again, to compare both. True: @u has the cookie of that, too. */
static INLINE bool verify(struct dusk_unwind *u)
{
	struct dusk_unwind again;

	dusk_unwind_request(CONSUMER_RECORDER, &again);
	u->cookie = again.cookie;
	return again.cookie != 0;
}

/* Get the user stack, or the cookie under which it will be delivered. True: both. */
static INLINE bool ask(bool at_once, struct dusk_unwind *u)
{
	if (at_once && dusk_unwind_try(u) == DUSK_EXECUTED)
		return filter.verify && verify(u);
	dusk_unwind_request(CONSUMER_RECORDER, u);
	return false;
}

static INLINE void fill(struct event_occurrence *e, struct task_struct *t, u32 event, u64 now_ns,
			const struct dusk_unwind *u, bool known)
{
	e->kind = EVENT_OCCURRENCE;
	e->cpu = bpf_get_smp_processor_id();
	e->time_ns = now_ns;
	e->cookie = u->cookie;
	e->cgroup = task_cgroup(t);
	e->pid = t->tgid;
	e->tid = t->pid;
	e->kernel_stack = 0;
	e->user_stack = u->stack;
	e->event = event;
	e->outcome = u->outcome;
	e->cached = known;
	e->nr = 0;
	e->pad = 0;
	bpf_get_current_comm(e->comm, sizeof(e->comm));
}

/*
 * Take the kernel stack, its id to @e. Returns the stack if it must be sent inline, as the stackmap is full; or NULL.
 */
static INLINE struct stack *kernel_stack(void *ctx, struct event_occurrence *e, struct stack *s, enum record_from from)
{
	if (from == FROM_UPROBE)
		return NULL;
	if (from == FROM_CALL)
		get_frames_from(ctx, s, &own_frames, &filter.call_begins, &filter.call_ends);
	else
		get_frames(ctx, s, 0);
	if (!s->nr || !stackmap_put(s, &e->kernel_stack))
		return NULL;
	count_total(COUNT_STACKS_INLINE, 1);
	e->nr = s->nr;
	return s;
}

static INLINE void send(struct event_occurrence *e, struct stack *frames)
{
	u32 record = (opaque((u32)e->record_bytes) + 7) & (2 * RECORD_BYTES - 8);

	if (emit(&events, e, sizeof(*e) + record, frames, false))
		count(COUNT_LOST_EVENTS, 1);
}

/* @nr, @regs, @result: as make_record() takes them, for FROM_CALL. */
static INLINE void occur(void *ctx, struct task_struct *t, u32 event, const struct record_shape *shape,
			 enum record_from from, u64 nr, const struct pt_regs *regs, u64 result)
{
	u64 now_ns = bpf_ktime_get_ns();
	struct stack *s = scratch_get();
	struct event_occurrence *e;
	struct dusk_unwind u;
	bool known;

	if (!s) {
		count(COUNT_EVENTS, 1);
		count(COUNT_LOST_EVENTS, 1);
		return;
	}
	e = occurrence_behind(s);
	e->record_bytes = 0;
	e->cut = 0;
	if (from == FROM_CONTEXT)
		take_record(e, ctx, shape);
	else if (from == FROM_CALL)
		make_record(e, shape, nr, regs, result);
	else
		take_registers(e, ctx, event, shape);
	if (!e->record_bytes || passes_filter((struct probe_hit *)e, event)) {
		count(COUNT_EVENTS, 1);
		known = ask(shape->in_syscall || from == FROM_UPROBE, &u);
		fill(e, t, event, now_ns, &u, known);
		send(e, kernel_stack(ctx, e, s, from));
	}
	scratch_put();
}

static INLINE bool is_recorded(struct task_struct *t)
{
	return load_relaxed(&event_switch) && task_in_scope(t);
}

SEC("tracepoint")
int on_event(void *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 event = bpf_get_attach_cookie(ctx);
	struct record_shape *shape = bpf_map_lookup_elem(&shapes, &event);

	if (shape && is_recorded(t))
		occur(ctx, t, event, shape, FROM_CONTEXT, 0, NULL, 0);
	return GO_ON;
}

/* The number of the event, plus 1; 0: it is not recorded. */
static INLINE u32 call_event(struct task_struct *t, const struct pt_regs *regs, u32 nr, bool ends)
{
	const struct call_events *e = bpf_map_lookup_elem(&calls, &nr);

	return e && call_has_events(t, regs) ? ends ? e->exit : e->enter : 0;
}

/*
 * The events of all system calls by one program, as to close an event takes the kernel a grace period, and there are
 * 700 of these.
 */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs *regs, long nr)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 event = call_event(t, regs, nr, false) - 1;
	struct record_shape *shape = bpf_map_lookup_elem(&shapes, &event);

	if (shape && is_recorded(t))
		occur(ctx, t, event, shape, FROM_CALL, nr, regs, 0);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_call_end, struct pt_regs *regs, long result)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 event = call_event(t, regs, call_number(regs), true) - 1;
	struct record_shape *shape = bpf_map_lookup_elem(&shapes, &event);

	if (shape && is_recorded(t))
		occur(ctx, t, event, shape, FROM_CALL, call_number(regs), NULL, result);
	return 0;
}

extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;

/* Programs for events made by kprobe_events and uprobe_events, which need this type: they get registers instead of a record. */
SEC("kprobe")
int on_kprobe(struct pt_regs *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 event = bpf_get_attach_cookie(ctx);
	struct record_shape *shape = bpf_map_lookup_elem(&shapes, &event);

	if (shape && is_recorded(t))
		occur(ctx, t, event, shape, FROM_KPROBE, 0, NULL, 0);
	return GO_ON;
}

/* At a uprobe a task may be preempted, by one that is at a uprobe, too: then both would have the same per-CPU memory. */
SEC("kprobe")
int on_uprobe(struct pt_regs *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 event = bpf_get_attach_cookie(ctx);
	struct record_shape *shape = bpf_map_lookup_elem(&shapes, &event);

	dusk_unwind_at_uprobe();
	if (!shape || !is_recorded(t))
		return GO_ON;
	bpf_preempt_disable();
	occur(ctx, t, event, shape, FROM_UPROBE, 0, NULL, 0);
	bpf_preempt_enable();
	return GO_ON;
}
