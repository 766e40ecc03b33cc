/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each stack twice, in the same visit to the kernel: from the BPF walker, and from kernel/ as a module. Of dusk it
 * sees what any tool sees; but for the counter of the time that walks took.
 */
#include "bpf/common/maps.h"
#include <bpf/bpf_helpers.h>
#include <dusk/dusk.bpf.h>
#include "module.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern int bpf_dusk_unwind_user(u64 *frames, u32 frames__sz, struct bpf_dusk_stack *ret) __ksym;
extern int bpf_dusk_unwind_request(u64 *cookie) __ksym;
extern int bpf_dusk_file(u32 number, struct known_file *ret) __ksym;
extern int bpf_task_work_schedule_signal(struct task_struct *task, struct bpf_task_work *tw, void *map__map,
					 bpf_task_work_callback_t callback) __ksym;

#define QUEUED 0 /* what the module answers: kernel/deferred.h */
#define PENDING 1
#define EXECUTED 2

struct module_control control SHARED("control");
struct module_file asked SHARED("asked");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MODULE_STACKS);
	__type(key, u32);
	__type(value, struct walked);
} walks SEC(".maps");

struct due {
	struct bpf_task_work work;
	u64 cookie;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct due);
} dues SEC(".maps");

static INLINE bool is_asked(void)
{
	return control.tgid && bpf_get_current_pid_tgid() >> 32 == control.tgid && control.turn < MODULE_STACKS;
}

static INLINE u64 time_of_bpf(void)
{
	u64 sum = 0;

	for (u32 cpu = 0; cpu < MODULE_CPUS; cpu++)
		sum += totals[cpu].value[COUNT_WALK_NS];
	return sum;
}

/* Where we may sleep. */
static INLINE void walk_by_module(u64 cookie)
{
	u32 i = __sync_fetch_and_add(&control.turn, 1);
	struct walked *w = bpf_map_lookup_elem(&walks, &i);

	if (!w)
		return;
	w->cookie = cookie;
	w->bpf_ns = time_of_bpf();
	w->result = bpf_dusk_unwind_user(w->frame, sizeof(w->frame), &w->how);
	w->done = 1;
}

/* At a function: the module walks at once, the BPF walker when the task goes back. */
SEC("?uprobe.s")
int by_uprobe(void *ctx)
{
	struct dusk_unwind u = {};

	dusk_unwind_at_uprobe();
	if (is_asked() && dusk_unwind_request(0, &u) == DUSK_QUEUED)
		walk_by_module(u.cookie);
	return 0;
}

static int walk_due(struct bpf_map *map, void *key, void *value)
{
	u32 tid = *(u32 *)key;
	struct due *d = bpf_map_lookup_elem(&dues, &tid);

	if (d)
		walk_by_module(d->cookie);
	return 0;
}

/* Anywhere: both walk when the task goes back. */
SEC("?perf_event")
int by_tick(struct bpf_perf_event_data *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct due fresh = {}, *d;
	struct dusk_unwind u = {};
	u32 tid = t->pid;

	if (!is_asked() || (s64)ctx->regs.ip < 0 || dusk_unwind_request_at(0, ctx->regs.ip, &u) != DUSK_QUEUED)
		return 0;
	d = bpf_map_lookup_elem(&dues, &tid);
	if (!d) {
		bpf_map_update_elem(&dues, &tid, &fresh, BPF_NOEXIST);
		d = bpf_map_lookup_elem(&dues, &tid);
	}
	if (!d)
		return 0;
	d->cookie = u.cookie;
	bpf_task_work_schedule_signal(t, &d->work, &dues, walk_due);
	return 0;
}

/* The cookie of the module's walk → that of the BPF walker's. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * MODULE_STACKS);
	__type(key, u64);
	__type(value, u64);
} asked_together SEC(".maps");

static INLINE void expect(bool right)
{
	if (!right)
		__sync_fetch_and_add(&control.wrong, 1);
}

/*
 * The BPF walker was asked, and promised @theirs: ask the module, twice. What it has comes to unwound(). It may know that this
 * visit has been walked, where the BPF walker does not.
 */
static INLINE void ask_module(u64 theirs)
{
	u64 cookie = 0, again = 0;
	int answer = bpf_dusk_unwind_request(&cookie), second = bpf_dusk_unwind_request(&again);

	expect(again == cookie && second == (answer == EXECUTED ? EXECUTED : PENDING));
	if (answer == EXECUTED)
		__sync_fetch_and_add(&control.executed, 1);
	else if (answer != QUEUED)
		expect(false);
	else
		bpf_map_update_elem(&asked_together, &cookie, &theirs, BPF_ANY);
}

/* Anywhere: both walk when the task goes back. */
SEC("?perf_event")
int by_tick_deferred(struct bpf_perf_event_data *ctx)
{
	struct dusk_unwind u = {};

	if (is_asked() && (s64)ctx->regs.ip >= 0 && dusk_unwind_request_at(0, ctx->regs.ip, &u) == DUSK_QUEUED)
		ask_module(u.cookie);
	return 0;
}

/* In system calls. */
SEC("?raw_tp/sys_enter")
int by_call(void *ctx)
{
	struct dusk_unwind u = {};

	if (is_asked() && dusk_unwind_request(0, &u) == DUSK_QUEUED)
		ask_module(u.cookie);
	return 0;
}

/* Before the handler's frame is made: when they walk, the registers are the handler's. */
SEC("?tp_btf/signal_deliver")
int by_signal(void *ctx)
{
	struct dusk_unwind u = {};

	if (is_asked() && dusk_unwind_request(0, &u) == DUSK_QUEUED)
		ask_module(u.cookie);
	return 0;
}

SEC("?fentry/bpf_dusk_unwound")
int unwound(u64 *ctx)
{
	u64 cookie = ctx[0], frames = ctx[1], *together = bpf_map_lookup_elem(&asked_together, &cookie);
	u32 nr = ctx[2], outcome = ctx[3], i;
	struct walked *w;

	if (!together)
		return 0;
	i = __sync_fetch_and_add(&control.turn, 1);
	w = bpf_map_lookup_elem(&walks, &i);
	if (!w || nr > MODULE_FRAMES)
		return 0;
	w->cookie = *together;
	w->bpf_ns = 0;
	w->how = (struct bpf_dusk_stack){.nr = nr, .outcome = outcome};
	w->result = bpf_probe_read_kernel(w->frame, nr * sizeof(*w->frame), (const void *)frames) ?: nr;
	w->done = 1;
	bpf_map_delete_elem(&asked_together, &cookie);
	return 0;
}

/* A thread's visit to the kernel. */
struct visit_seen {
	struct bpf_task_work work;
	u64 cookie;
	u32 walks, executed, executed_later,
		pad; /* @executed: in bpf_dusk_unwound(); @executed_later: in task work behind it */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u32);
	__type(value, struct visit_seen);
} visits_seen SEC(".maps");

/* The last visit of the current thread was in order if it had one walk, which both requests behind it were answered by. */
static INLINE void end_visit(const struct visit_seen *v)
{
	expect(!v->cookie || (v->walks == 1 && v->executed == 1 && v->executed_later == 1));
}

/* Requests in a visit that has just begun, after user mode: one is queued, and one is pending. */
static INLINE void begin_visit(struct visit_seen *v)
{
	u64 before = v->cookie, again = 0, cookie = 0;
	u32 cpu = bpf_get_smp_processor_id();

	v->walks = v->executed = v->executed_later = 0;
	expect(bpf_dusk_unwind_request(&cookie) == QUEUED && bpf_dusk_unwind_request(&again) == PENDING);
	expect(cookie == again && cookie != before && (u32)cookie == cpu + 1 && cookie >> 32);
	v->cookie = cookie;
	__sync_fetch_and_add(&control.visits, 1);
	__sync_fetch_and_or(&control.cpus, 1U << (cpu & 31));
}

SEC("?raw_tp/sys_enter")
int by_visit(void *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct visit_seen fresh = {}, *v;

	if (!is_asked())
		return 0;
	bpf_map_update_elem(&visits_seen, &tid, &fresh, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&visits_seen, &tid);
	if (!v)
		return 0;
	end_visit(v);
	begin_visit(v);
	return 0;
}

/* Is a request answered by the walk that this visit has had? */
static INLINE bool is_executed(const struct visit_seen *v)
{
	u64 cookie = 0;

	return bpf_dusk_unwind_request(&cookie) == EXECUTED && cookie == v->cookie;
}

static int later(struct bpf_map *map, void *key, void *value)
{
	u32 tid = *(u32 *)key;
	struct visit_seen *v = bpf_map_lookup_elem(&visits_seen, &tid);

	if (v)
		v->executed_later += is_executed(v);
	return 0;
}

/* Were requests here answered by a walk, each would end here and make the next one: so there are three at most. */
SEC("?fentry/bpf_dusk_unwound")
int behind_walk(u64 *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	u32 tid = t->pid;
	struct visit_seen *v = bpf_map_lookup_elem(&visits_seen, &tid);

	if (!v || t->flags & PF_EXITING || v->cookie != ctx[0] || v->walks++ >= 3)
		return 0;
	v->executed += is_executed(v);
	bpf_task_work_schedule_signal(t, &v->work, &visits_seen, later);
	return 0;
}

SEC("?syscall")
int file_of(void *ctx)
{
	struct known_file file = {};

	asked.result = bpf_dusk_file(asked.number, &file);
	asked.file = file;
	return 0;
}
