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

/* The BPF walker was asked, and promised @theirs: ask the module, twice. What it has comes to unwound(). */
static INLINE void ask_module(u64 theirs)
{
	u64 cookie = 0, again = 0;

	if (bpf_dusk_unwind_request(&cookie) != 0 || bpf_dusk_unwind_request(&again) != 1 || again != cookie)
		__sync_fetch_and_add(&control.wrong, 1);
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

SEC("?syscall")
int file_of(void *ctx)
{
	struct known_file file = {};

	asked.result = bpf_dusk_file(asked.number, &file);
	asked.file = file;
	return 0;
}
