/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that user space runs from time to time on the state of all tasks, with BPF_PROG_TEST_RUN: only a BPF program
 * can change a word of a hash map's element while other programs change it.
 */
#include "bpf/common/resolve.bpf.h"
#include "bpf/common/task.bpf.h"
#include <bpf/bpf_core_read.h>

extern struct task_struct *bpf_task_from_pid(int pid) __ksym;
extern struct task_struct *bpf_task_from_vpid(int vpid) __ksym;
extern void bpf_task_release(struct task_struct *t) __ksym;

/* The kernel's own state of an element's task work (linux 6.18 kernel/bpf/helpers.c). */
enum bpf_task_work_state { BPF_TW_STANDBY };

struct bpf_task_work_ctx {
	enum bpf_task_work_state state;
} __attribute__((preserve_access_index));

struct sweep {
	u32 slot;   /* of the consumer that leaves */
	u32 found;  /* tasks in which there was something of it */
	u32 closed; /* requests closed */
};

static long cancel_in_task(struct bpf_map *map, u32 *tid, struct task_value *v, struct sweep *s)
{
	u64 words = load_relaxed(&v->state.defer.word) | load_relaxed(&v->state.pending);
	u32 slot = s->slot & (MAX_CONSUMERS - 1);

	if (words >> slot & 1) {
		s->found++;
		defer_cancel(&v->state.defer, slot);
		fetch_and(&v->state.pending, ~(1u << slot));
	}
	return 0;
}

/*
 * Remove the consumer in slot @slot[0] from all tasks. Returns the number of tasks that held something of it. Call it
 * until that is 0, since a word may keep changing, and an element that is freed and reused during the iteration moves
 * it to another bucket.
 */
SEC("syscall")
int sweep_consumer(u32 *slot)
{
	struct sweep s = {.slot = *slot};

	bpf_for_each_map_elem(&tasks, cancel_in_task, &s, 0);
	return s.found;
}

/* Is task work scheduled for @v? */
static INLINE bool is_scheduled(struct task_value *v)
{
	struct bpf_task_work_ctx *work = NULL;

	bpf_probe_read_kernel(&work, sizeof(work), &v->work);
	return work && BPF_CORE_READ(work, state) != BPF_TW_STANDBY;
}

static INLINE bool is_alive(u32 tid, struct task_state *st)
{
	struct task_struct *t = bpf_task_from_pid(tid);
	bool yes = false;

	if (t) {
		yes = task_owns(t, st);
		bpf_task_release(t);
	}
	return yes;
}

/* A cookie that has no task work in two sweeps in a row is not about to be scheduled: its task work was lost. */
static long close_if_lost(struct bpf_map *map, u32 *tid, struct task_value *v, struct sweep *s)
{
	struct task_state *st = &v->state;
	u64 cookie = load_relaxed(&st->defer.word) >> DEFER_BITS;
	bool lost = cookie && !is_scheduled(v);

	if (lost && cookie == st->swept) {
		task_close(st, *tid, WORK_LOST, COUNT_CLOSED_LOST);
		s->closed++;
		lost = false;
	}
	st->swept = lost ? cookie : 0;
	if (!is_alive(*tid, st) && !load_relaxed(&st->defer.word))
		bpf_map_delete_elem(map, tid);
	return 0;
}

struct process {
	u64 start;
	u32 tgid;
};

/* Set @ctx to the process of thread @tid. False: there is no such thread. */
static INLINE bool find_process(void *ctx, u32 tid)
{
	struct task_struct *t = bpf_task_from_pid(tid);
	struct process *p = ctx;

	if (!t)
		return false;
	p->tgid = t->tgid;
	p->start = t->group_leader->start_boottime;
	bpf_task_release(t);
	return true;
}

/* Exclude the process of a walk that takes longer than any walk should. */
static long exclude_if_stuck(struct bpf_map *map, u32 *index, struct walker *w, u64 *before_ns)
{
	struct process p = {};

	if (watchdog_accuse(&w->head, *before_ns, find_process, &p) &&
	    !bpf_map_update_elem(&excluded, &p.tgid, &p.start, BPF_NOEXIST))
		fetch_add(&registry.nr_excluded, 1);
	return 0;
}

/* Exclude the processes of walks that began before *@before_ns. Returns how many have been excluded in all. */
SEC("syscall")
int exclude_stuck(u64 *before_ns)
{
	u64 before = *before_ns;

	bpf_for_each_map_elem(&walkers, exclude_if_stuck, &before, 0);
	return registry.nr_excluded;
}

/* End the cookies that have had no task work since the last sweep or longer. Returns how many. */
SEC("syscall")
int sweep_lost(void *ctx)
{
	struct sweep s = {};

	bpf_for_each_map_elem(&tasks, close_if_lost, &s, 0);
	return s.closed;
}

/* Returns the tid in the initial PID namespace of the thread with tid @tid[0] in the caller's namespace, or -ESRCH. */
SEC("syscall")
int find_task(u32 *tid)
{
	struct task_struct *t = bpf_task_from_vpid(*tid);
	int found = -ESRCH;

	if (t) {
		found = t->pid;
		bpf_task_release(t);
	}
	return found;
}
