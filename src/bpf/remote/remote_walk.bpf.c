/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An iterator, read by user space, of the stacks of tasks that are off CPU, which are not stopped for it.
 *
 * A task that is off CPU stands still, and its user registers are on its kernel stack. While it is walked, it may be
 * woken and run. If it is off CPU afterwards, and has left a CPU no more often than before, it has not run, and the
 * stack is a true one. Otherwise nothing of what was read is reported.
 */
#include "bpf/common/remote.bpf.h"
#include "bpf/unwind/unwind.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct remote remote SHARED("remote");
struct chosen_map chosen SEC(".maps");

static INLINE bool has(u32 id, u32 kind)
{
	struct chosen_key key = {id, kind};

	return bpf_map_lookup_elem(&chosen, &key);
}

static INLINE bool is_chosen(struct task_struct *t)
{
	if (t->pid <= remote.pass.after)
		return false;
	if (!remote.pass.filter)
		return (u32)t->tgid != remote.pass.self_tgid;
	return has(t->tgid, CHOSEN_PROCESS) || has(t->pid, CHOSEN_THREAD);
}

/* How often @t has left a CPU. The kernel increments it before the task is off CPU. */
static INLINE u64 switches(struct task_struct *t)
{
	return load_acquire(&t->nvcsw) + load_acquire(&t->nivcsw);
}

/* The outcome if @t has no user stack to walk; 0: it has one. */
static INLINE u32 nothing_to_walk(struct task_struct *t, struct mm_struct *mm)
{
	if (task_has_no_user(t))
		return KERNEL_THREAD;
	if (!mm)
		return EXITED;
	if (has(t->tgid, UNTOUCHED_PROCESS))
		return EXCLUDED;
	return mm->start_code ? 0
			      : EXEC_NEW; /* the memory is the new program's, the registers are still the old one's */
}

/* Walk @t, which was off CPU when this began, to remote.walker.walk.out. Returns the outcome. */
static INLINE u32 walk_user(struct task_struct *t)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	struct walk *walk = &remote.walker.walk;
	struct mm_struct *mm = t->mm;
	u32 outcome = nothing_to_walk(t, mm);

	if (outcome)
		return outcome;
	check_space(&remote.walker, t, mm);
	registers_take(&remote.from, t, regs);
	start_at(&walk->machine, &remote.from);
	walk->max_depth = registry.max_depth;
	walk->no_cache = config.no_cache;
	walk_start(walk);
	walk_stack(walk);
	return walk->outcome;
}

/* Take the kernel frames of @t to remote.kernel. Returns how many. */
static INLINE u32 walk_kernel(struct task_struct *t)
{
	long bytes = remote.pass.no_kernel ? 0 : bpf_get_task_stack(t, remote.kernel, sizeof(remote.kernel), 0);

	return bytes > 0 ? bytes / sizeof(u64) : 0;
}

static INLINE void look_at(struct task_struct *t)
{
	struct remote_record *r = &remote.record;
	u64 mm = (u64)t->mm;
	u32 exec_id = t->self_exec_id;

	r->pid = t->tgid;
	r->tid = t->pid;
	__builtin_memcpy(r->comm, t->comm, sizeof(r->comm));
	r->nr_user = r->nr_kernel = 0;
	remote.walker.walk.out.nr = 0;
	r->switches = switches(t);
	r->state = t->__state | t->exit_state;
	if (load_acquire(&t->on_cpu)) {
		r->outcome = RUNNING;
		return;
	}
	r->outcome = walk_user(t);
	r->nr_kernel = walk_kernel(t);
	r->nr_user = remote.walker.walk.out.nr;
	/* First whether it is off CPU, then how often: if it ran, that was counted before it was off CPU again. */
	if (load_acquire(&t->on_cpu) || switches(t) != r->switches || (u64)t->mm != mm || t->self_exec_id != exec_id) {
		r->outcome = MOVED;
		r->nr_user = r->nr_kernel = 0;
	}
}

SEC("iter.s/task")
int walk_task(struct bpf_iter__task *ctx)
{
	struct seq_file *seq = ctx->meta->seq;
	struct task_struct *t = ctx->task;
	u32 nr;

	if (!t || !is_chosen(t))
		return 0;
	remote.pass.tgid = t->tgid;
	remote.pass.task = (u64)t;
	remote.pass.tid = t->pid;
	remote.pass.walks++;
	look_at(t);
	remote.pass.tid = 0;

	/* If something does not fit, the iterator comes back to this task. */
	bpf_seq_write(seq, &remote.record, sizeof(remote.record));
	nr = remote.record.nr_kernel;
	if (nr <= MAX_KERNEL_FRAMES)
		bpf_seq_write(seq, remote.kernel, nr * sizeof(u64));
	nr = remote.record.nr_user;
	if (nr <= MAX_DEPTH)
		bpf_seq_write(seq, remote.walker.walk.out.frame, nr * sizeof(u64));
	return 0;
}
