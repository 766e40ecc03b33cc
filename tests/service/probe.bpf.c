/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A tool for tests: programs of all types that ask for the user stack of one process, and note each answer. They see
 * of dusk what any tool sees, <dusk/dusk.bpf.h>; but for the addresses of words in the kernel's memory that are written
 * at delicate moments, where tests set breakpoints.
 */
#include "bpf/common/maps.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include <dusk/dusk.bpf.h>
#include "probe.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct probe_control control SHARED("control");
struct probe_nmi nmis[PROBE_NMIS] SHARED("nmis");
extern const int __preempt_count __ksym __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1 << 18);
	__type(key, struct probe_key);
	__type(value, struct probe_answers);
} answers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROBE_CONSUMERS *PROBE_KEYS);
	__type(key, u32);
	__type(value, struct probe_sum);
} sums SEC(".maps");

static INLINE struct probe_answers *answers_of(u64 cookie, u32 consumer)
{
	struct probe_key key = {cookie, consumer, bpf_get_current_pid_tgid() >> 32};
	struct probe_answers fresh = {}, *a = bpf_map_lookup_elem(&answers, &key);

	if (!a) {
		bpf_map_update_elem(&answers, &key, &fresh, BPF_NOEXIST);
		a = bpf_map_lookup_elem(&answers, &key);
	}
	if (!a)
		__sync_fetch_and_add(&control.unnoted, 1);
	return a;
}

/* A function of its own: what asks has little stack. */
static __attribute__((noinline)) void note(u32 consumer, int result, const struct dusk_unwind *u)
{
	struct probe_answers *a = answers_of(u->cookie, consumer);

	if (!a)
		return;
	if (result == DUSK_QUEUED)
		__sync_fetch_and_add(&a->queued, 1);
	else if (result == DUSK_PENDING)
		__sync_fetch_and_add(&a->pending, 1);
	else if (result == DUSK_EXECUTED)
		__sync_fetch_and_add(&a->executed, 1);
	else
		__sync_fetch_and_add(&a->refused, 1);
	if (result < 0)
		a->error = result;
	if (result == DUSK_EXECUTED || result < 0) {
		a->stack = u->stack;
		a->outcome = u->outcome;
	}
}

struct asking {
	u64 ip;
	u32 consumers;
};

static long ask_one(u32 turn, void *ctx)
{
	struct asking *a = ctx;
	u32 consumer = turn & (PROBE_CONSUMERS - 1), place;
	struct dusk_unwind u = {};
	struct probe_sum *sum;
	u64 key;
	int result;

	if (!(a->consumers >> consumer & 1))
		return NEXT;
	if (control.known && dusk_unwind_try(&u) >= 0) {
		note(consumer, DUSK_EXECUTED, &u);
		return NEXT;
	}
	if (!control.keys) {
		note(consumer, dusk_unwind_request_at(consumer, a->ip, &u), &u);
		return NEXT;
	}
	key = __sync_fetch_and_add(&control.turn, 1) % control.keys;
	result = dusk_unwind_aggregate(consumer, key, key + 1, &u);
	note(consumer, result, &u);
	place = consumer * PROBE_KEYS + key;
	sum = result == -ENOENT ? NULL : bpf_map_lookup_elem(&sums, &place);
	if (!sum)
		return NEXT;
	__sync_fetch_and_add(&sum->amount, key + 1);
	__sync_fetch_and_add(&sum->count, 1);
	return NEXT;
}

struct task_struct___trace {
	int trc_reader_nesting;
} __attribute__((preserve_access_index));

static INLINE void note_addresses(void)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct task_value *v = bpf_map_lookup_elem(&tasks, &tid);

	control.trace_nesting =
		bpf_get_current_task() + bpf_core_field_offset(struct task_struct___trace, trc_reader_nesting);
	if (!v)
		return;
	control.walker = (u64)&v->state.walker;
	control.pending = (u64)&v->state.pending;
	control.sums_owner = v->state.sums.owner;
}

/* See struct probe_control: left_word. */
static INLINE void leave_word(void)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct task_value *v = control.left_word ? bpf_map_lookup_elem(&tasks, &tid) : NULL;

	if (!v || v->state.defer.word)
		return;
	if (control.left_in_exec && (tid == control.tgid || v->state.last_stack.state != LAST_STACK_KNOWN))
		return;
	v->state.task ^= control.left_task;
	v->state.start_boottime ^= control.left_birth;
	v->state.defer.word = control.left_word;
	control.left_word = 0;
}

/* See struct probe_control: left_answer. */
static INLINE void leave_answer(bool behind)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct task_value *v =
		control.left_answer && control.left_behind == behind ? bpf_map_lookup_elem(&tasks, &tid) : NULL;

	if (!v)
		return;
	v->state.pending_answer[0] = (struct answer){.cookie = control.left_answer};
	__sync_fetch_and_or(&v->state.pending, 1);
	control.left_answer = 0;
}

static INLINE int ask(u32 kind, u64 ip)
{
	struct asking a = {ip, control.consumers[kind]};

	if (!control.tgid || bpf_get_current_pid_tgid() >> 32 != control.tgid)
		return 0;
	__sync_fetch_and_add(&control.runs[kind], 1);
	note_addresses();
	leave_word();
	leave_answer(false);
	bpf_loop((control.again + 1) * PROBE_CONSUMERS, ask_one, &a, 0);
	leave_answer(true);
	return 0;
}

SEC("?perf_event")
int by_tick(struct bpf_perf_event_data *ctx)
{
	return ask(BY_TICK, ctx->regs.ip);
}

SEC("?perf_event")
int by_point(struct bpf_perf_event_data *ctx)
{
	return ask(BY_POINT, ctx->regs.ip);
}

SEC("?tp_btf/sched_switch")
int by_switch(void *ctx)
{
	return ask(BY_SWITCH, 0);
}

SEC("?raw_tp/sys_enter")
int by_raw(void *ctx)
{
	return ask(BY_RAW, 0);
}

SEC("?tp/syscalls/sys_enter_getppid")
int by_tracepoint(void *ctx)
{
	return ask(BY_TRACEPOINT, 0);
}

SEC("?kprobe/__x64_sys_getppid")
int by_kprobe(void *ctx)
{
	return ask(BY_KPROBE, 0);
}

/* Was @me, a variable of the program that lies in memory, written by another task's run of it? */
static INLINE void check_variable(const volatile u64 *me)
{
	if (*me != bpf_get_current_pid_tgid())
		__sync_fetch_and_add(&control.mixed, 1);
}

/* The simplest way, since all of it has to fit in 512 bytes. */
SEC("?uprobe")
int by_uprobe(void *ctx)
{
	volatile u64 me = bpf_get_current_pid_tgid();
	struct dusk_unwind u = {};

	dusk_unwind_at_uprobe();
	if (!control.tgid || me >> 32 != control.tgid)
		return 0;
	__sync_fetch_and_add(&control.runs[BY_UPROBE], 1);
	note(0, dusk_unwind_request(0, &u), &u);
	check_variable(&me);
	return 0;
}

/* Refused: it does not call dusk_unwind_at_uprobe(). */
SEC("?uprobe")
int by_uprobe_alone(void *ctx)
{
	struct dusk_unwind u = {};

	dusk_unwind_request(0, &u);
	return 0;
}

SEC("?fentry/vfs_open")
int by_fentry(void *ctx)
{
	return ask(BY_FENTRY, 0);
}

/*
 * The simplest way, since there is no more stack than that: LSM programs have none of their own (linux 7.2
 * kernel/bpf/verifier.c).
 */
SEC("?lsm/file_open")
int by_lsm(void *ctx)
{
	struct dusk_unwind u = {};

	if (!control.tgid || bpf_get_current_pid_tgid() >> 32 != control.tgid)
		return 0;
	__sync_fetch_and_add(&control.runs[BY_LSM], 1);
	note(0, dusk_unwind_request(0, &u), &u);
	return 0;
}

SEC("?tp_btf/signal_deliver")
int by_signal(void *ctx)
{
	return ask(BY_SIGNAL, control.ip);
}

SEC("?raw_tp/page_fault_user")
int by_fault(void *ctx)
{
	return ask(BY_FAULT, 0);
}

SEC("?tp_btf/rseq_update")
int by_return(void *ctx)
{
	return ask(BY_RETURN, 0);
}

static INLINE int walk_now(u32 kind)
{
	struct dusk_unwind u = {};

	if (!control.tgid || bpf_get_current_pid_tgid() >> 32 != control.tgid)
		return 0;
	__sync_fetch_and_add(&control.runs[kind], 1);
	note(0, dusk_unwind_now(&u), &u);
	return 0;
}

SEC("?uprobe.s")
int by_now(void *ctx)
{
	volatile u64 me = bpf_get_current_pid_tgid();

	walk_now(BY_NOW);
	check_variable(&me);
	return 0;
}

SEC("?syscall")
int by_now_syscall(void *ctx)
{
	return walk_now(BY_NOW_SYSCALL);
}

SEC("?lsm.s/bprm_committed_creds")
int by_now_exec(void *ctx)
{
	return walk_now(BY_NOW_EXEC);
}

/* Not by ask(): an NMI may have interrupted that in a map, and then the map refuses. */
SEC("?fentry/nmi_cpu_backtrace_handler")
int BPF_PROG(by_nmi, unsigned int cmd, struct pt_regs *regs)
{
	struct dusk_unwind u = {};
	struct probe_nmi *n;
	u32 slot;

	if (!control.tgid || bpf_get_current_pid_tgid() >> 32 != control.tgid || !&__preempt_count)
		return 0;
	slot = __sync_fetch_and_add(&control.nr_nmis, 1);
	if (slot >= PROBE_NMIS)
		return 0;
	n = &nmis[slot & (PROBE_NMIS - 1)];
	n->ip = regs->ip;
	n->preempt_count = *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	bpf_probe_read_user(&n->place, sizeof(n->place), (void *)control.place);
	n->result = dusk_unwind_request_at(1, control.no_ip ? 0 : n->ip, &u);
	n->cookie = u.cookie;
	n->stack = u.stack;
	n->outcome = u.outcome;
	__sync_fetch_and_add(&control.runs[BY_NMI], 1);
	return 0;
}

int dusk_unwind_done(u32 consumer, u64 cookie, u32 stack, u32 outcome)
{
	struct probe_answers *a = answers_of(cookie, consumer);

	if (!a)
		return 0;
	__sync_fetch_and_add(&a->done, 1);
	a->done_stack = stack;
	a->done_outcome = outcome;
	return 0;
}
