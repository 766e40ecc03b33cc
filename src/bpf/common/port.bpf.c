/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * core/port.h in the kernel. What reads is linked from another file: read.bpf.c, where a walk may wait for a page,
 * read_now.bpf.c where it may not, port_other.bpf.c for another task's memory.
 */
#include "bpf/arch/vdso.bpf.h"
#include "bpf/common/module_event.bpf.h"
#include "bpf/common/port.bpf.h"
#include "bpf/common/target.bpf.h"
#include "bpf/common/unlocked.bpf.h"
#include "core/lang/code.h"
#include "core/vma.h"
#include <bpf/bpf_core_read.h>

extern int bpf_iter_task_vma_new(struct bpf_iter_task_vma *it, struct task_struct *task, u64 addr) __ksym;
extern struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *it) __ksym;
extern void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *it) __ksym;

#define LOOKUPS 64 /* per walk, of mappings that are being changed: some hundred microseconds */

/* Is it safe to wait for a page of @vma? */
static INLINE bool safe_to_fault(const struct vm_area_struct *vma)
{
	const struct file *file = vma->vm_file;

	if (vma->vm_flags & (VM_PFNMAP | VM_IO))
		return false;
	if (bpf_core_field_exists(vma->vm_userfaultfd_ctx) && vma->vm_userfaultfd_ctx.ctx)
		return false;
	return !file || filesystem_is_safe(file->f_inode->i_sb->s_magic);
}

/* Note that this walk faults in the page of @addr. False: it has done so before, and the page did not stay. */
static INLINE bool first_fault(struct guard *g, u64 addr)
{
	u64 page = addr / PAGE_BYTES + 1;
	u64 *known = &at(g->page, page & (GUARD_PAGES - 1));

	if (*known == page || g->faults >= MAX_WAITS)
		return false;
	*known = page;
	g->faults++;
	return true;
}

/* linux 6.18 kernel/locking/rwsem.c: a writer holds it, or a waiter goes first, or the count overflowed */
#define RWSEM_READ_FAILED (1ULL << 63 | 7)

/* Would a page fault now have to wait for the target's mmap lock, which the target can hold for any time? */
static INLINE bool mappings_are_locked(struct task_struct *t)
{
	const struct mm_struct *mm = untrusted(task_struct, t)->mm;

	return mm && bpf_core_field_exists(mm->mmap_lock.count) && mm->mmap_lock.count.counter & RWSEM_READ_FAILED;
}

/*
 * Show @fn the mapping of @t at @addr, on kernels without per-VMA locks. The iterator only tries to take the mmap lock.
 * If it finds no mapping at all, it did not get the lock: above any address of interest there is some mapping.
 */
static INLINE int visit_locked(struct task_struct *t, u64 addr, visit_fn fn, void *ctx)
{
	struct bpf_iter_task_vma it;
	struct vm_area_struct *vma;
	int err = -EBUSY;

	bpf_iter_task_vma_new(&it, t, addr);
	vma = bpf_iter_task_vma_next(&it);
	if (vma)
		err = vma->vm_start <= addr ? 0 : -ENOENT;
	if (vma && !err)
		fn(t, vma, ctx);
	bpf_iter_task_vma_destroy(&it);
	return err;
}

/*
 * Show @fn the mapping of @t at @addr. 0; -ENOENT: there is none; -EBUSY: that cannot be determined now, and what @fn
 * saw, if anything, is valid only if it was known before. @flat: as find_unlocked().
 */
static INLINE int visit(struct task_struct *t, u64 addr, visit_fn fn, void *ctx, bool flat)
{
	return can_find_unlocked(t->mm) ? visit_unlocked(t, addr, fn, ctx, flat) : visit_locked(t, addr, fn, ctx);
}

/* The walker that works for @t; NULL: @t is not the current task, or none does. */
static INLINE struct walker *walker_of(struct task_struct *t)
{
	struct task_state *st = TARGET_IS_CURRENT ? task_find(t) : 0;
	u32 i;

	if (!st)
		return NULL;
	i = st->walker - 1;
	return bpf_map_lookup_elem(&walkers, &i);
}

/* The walker of the walk that runs. */
static INLINE struct walker *this_walker(void)
{
#ifdef OTHER_TASK
	return &remote.walker;
#else
	return walker_of(bpf_get_current_task_btf());
#endif
}

/* Are the mappings locked at each of the looks that the walk of @g has left? */
static INLINE bool mappings_stay_locked(struct task_struct *t, struct guard *g)
{
	each (i, lock_looks) {
		if (!mappings_are_locked(t))
			return false;
		if (g && ++g->looks > lock_looks)
			break;
	}
	return true;
}

struct question {
	u64 end;
	int answer;
};

static INLINE long answer(struct task_struct *t, struct vm_area_struct *vma, void *ctx)
{
	struct question *q = ctx;

	q->answer = q->end > vma->vm_end ? -EFAULT : safe_to_fault(untrusted(vm_area_struct, vma)) ? 0 : -EACCES;
	return 0;
}

/*
 * Say whether the @len bytes at @addr may be faulted in. 0: yes; -EFAULT: they are not mapped, or not all of them;
 * -EACCES: that is not safe, or cannot be determined.
 */
static INLINE int ask_vma(struct task_struct *t, struct guard *g, u64 addr, u32 len)
{
	struct question q = {.end = addr + len};
	int err;

	if (mappings_stay_locked(t, g)) /* a fault would have to wait */
		return -EACCES;
	err = visit(t, addr, answer, &q, true);
	return err == -ENOENT ? -EFAULT : err ? -EACCES : q.answer;
}

/* Let the walk of @w wait for @len bytes at @addr. Returns 0, -EFAULT or -EACCES. */
static INLINE int note_wait(struct walker *w, u64 addr, u32 len)
{
	struct page_wait *wait = &w->walk.modules.wait;

	if (wait->absent == addr / PAGE_BYTES + 1)
		return -EFAULT;
	if (!first_fault(&w->guard, addr))
		return -EACCES;
	wait->addr = addr;
	wait->bytes = len;
	count_total(COUNT_FAULTS, 1);
	return 0;
}

/* May @len bytes at @addr be faulted in? 0: yes; of the current task, its walk then waits for them. -EFAULT, -EACCES. */
static INLINE int may_fault(u64 addr, u32 len)
{
	int err = lock_looks ? -EFAULT : -EACCES;
	struct task_struct *t = lock_looks ? target_get() : NULL;
	struct walker *w;

	if (!t)
		return err;
	w = walker_of(t);
	if (TARGET_IS_CURRENT && (!w || w->walk.modules.wait.bytes)) { /* no walk; or one page after the other */
		target_put(t);
		return -EACCES;
	}
	if ((s64)addr >= 0) /* user memory */
		err = ask_vma(t, w ? &w->guard : NULL, addr, len);
	if (!err && registry.no_faults)
		err = -EACCES;
	if (!err && w)
		err = note_wait(w, addr, len);
	target_put(t);
	if (err == -EACCES)
		count_total(COUNT_FAULTS_REFUSED, 1);
	return err;
}

#ifndef OTHER_TASK
CORE int port_peek(void *dst, u32 len, u64 addr)
{
	return bpf_probe_read_user(dst, len, (const void *)addr) ? -EFAULT : 0;
}

GLOBAL int port_refuse(u64 addr, u32 len)
{
	return may_fault(addr, len) ?: -EACCES;
}
#endif

static INLINE void fill(struct vma *v, const struct mm_struct *mm, const struct vm_area_struct *vma)
{
	const struct file *file = vma->vm_file;

	v->start = vma->vm_start;
	v->end = vma->vm_end;
	v->offset = vma->vm_pgoff << 12;
	v->executable = vma->vm_flags & VM_EXEC; /* 0 or not: what is here is verified often */
	v->shared = vma->vm_flags & VM_SHARED;
	v->vdso = 0;
	v->copies = (u64)vma->anon_vma; /* set at the first copy of a page, for the life of the mapping */
	v->sequence = bpf_core_field_exists(mm->mm_lock_seq) ? mm->mm_lock_seq.sequence : 0;
	v->dev = v->ino = v->generation = v->filesystem = 0;
	if (file) {
		const struct inode *inode = file->f_inode;
		const struct super_block *sb = inode->i_sb;

		v->ino = inode->i_ino;
		v->generation = inode->i_generation;
		v->dev = sb->s_dev;
		v->filesystem = sb->s_magic;
	} else if ((u64)mm->context.vdso == v->start && vma->vm_ops) { /* nothing else has been mapped there */
		v->vdso = which_vdso(mm);
	}
}

struct found {
	struct vma *vma;
};

/* Runs with the mmap lock held, or under RCU: nothing here may touch user memory. */
static long found_vma(struct task_struct *t, struct vm_area_struct *vma, void *ctx)
{
	struct found *f = ctx;

	fill(f->vma, untrusted(task_struct, t)->mm, untrusted(vm_area_struct, vma));
	return 0;
}

/*
 * Show @fn the mapping of @t at @addr: by bpf_find_vma(); or by visit(), if the mmap lock is taken or @t is not the
 * current task, as bpf_find_vma() does not keep another task's memory in place. Errors as visit().
 */
static INLINE int visit_mapping(struct task_struct *t, u64 addr, visit_fn fn, void *ctx)
{
	int err = TARGET_IS_CURRENT ? bpf_find_vma(t, addr, fn, ctx, 0) : -EBUSY;

	return err == -EBUSY ? visit(t, addr, fn, ctx, false) : err;
}

static INLINE int find_mapping(u64 addr, struct vma *ret)
{
	struct found f = {.vma = ret};
	struct task_struct *t = target_get();
	int err;

	if (!t)
		return -ENOENT;
	err = visit_mapping(t, addr, found_vma, &f);
	target_put(t);
	return err;
}

/* May the walk look up a mapping that is being changed once more? */
static INLINE bool has_patience(void)
{
	struct task_struct *t = target_get();
	struct walker *w;
	bool has;

	if (!t)
		return false;
	w = walker_of(t);
	has = !w || ++w->guard.lookups < LOOKUPS;
	target_put(t);
	return has;
}

GLOBAL int port_vma(u64 addr, struct vma *ret NONNULL)
{
	int err = -EBUSY;

	each (i, LOOKUPS) {
		err = find_mapping(addr, ret);
		if (err != -EBUSY || !has_patience())
			break;
	}
	vma_settle(ret);
	return err;
}

CORE void fill_module_event(u64 addr, struct event_module *e, void *path_walk)
{
	struct task_struct *t = target_get();

	if (!t)
		return;
	e->pid = t->tgid;
	e->parent = t->real_parent->tgid;
	if (!TARGET_IS_CURRENT || bpf_find_vma(t, addr, send_module_event, path_walk, 0) == -EBUSY)
		visit_locked(t, addr, send_module_event, path_walk);
	target_put(t);
}

/* The address of the last mapping of the start of @like's file, among the first @most from @from to @like; or 0. */
GLOBAL u64 start_from_on(const struct vma *like NONNULL, u64 from, u32 most)
{
	struct bpf_iter_task_vma it;
	struct vm_area_struct *vma;
	struct task_struct *t = target_get();
	u32 left = most + loop_zero; /* opaque, or the verifier would follow each number */
	u64 start = 0;

	if (!t)
		return 0;
	bpf_iter_task_vma_new(&it, t, from);
	while ((vma = bpf_iter_task_vma_next(&it))) {
		const struct file *file = untrusted(vm_area_struct, vma)->vm_file;

		if (vma->vm_start > like->start || !left)
			break;
		left--;
		if (!file || vma->vm_pgoff)
			continue;
		if (file->f_inode->i_ino == like->ino && file->f_inode->i_sb->s_dev == like->dev)
			start = vma->vm_start;
	}
	bpf_iter_task_vma_destroy(&it);
	target_put(t);
	return start;
}

/*
 * Where to begin to look, below where linkers usually put the start: they leave gaps between segments, for large pages; and
 * some programs have segments that are far apart. From further below there are more mappings of other files to pass.
 */
static const u64 gaps[4] = {16ULL << 20, 1ULL << 30, 64ULL << 30, 1ULL << 63};

GLOBAL u64 port_file_start(const struct vma *like NONNULL, u32 most)
{
	u64 expected = like->start - like->offset, start;

	if (like->offset == 0)
		return like->start;
	start = start_from_on(like, expected, 1);
	each (i, COUNT(gaps)) {
		u64 gap = at(gaps, i);

		if (start)
			break;
		start = start_from_on(like, like->start > gap ? like->start - gap : 0, most);
	}
	return start;
}

#define URETPROBES 64 /* of a task at a time (linux 6.18 include/linux/uprobes.h, MAX_URETPROBE_DEPTH) */

/*
 * The true return address at @slot. It is copied by bpf_probe_read_kernel(): another task may go on, and free the list.
 */
static INLINE int return_of(struct task_struct *t, u64 slot, u64 *ret)
{
	const struct return_instance *call = BPF_CORE_READ(t, utask, return_instances);

	each (i, URETPROBES) {
		if (!call)
			break;
		if (BPF_CORE_READ(call, stack) == slot) {
			*ret = BPF_CORE_READ(call, orig_ret_vaddr);
			return 0;
		}
		call = BPF_CORE_READ(call, next);
	}
	return -EFAULT;
}

GLOBAL int port_true_return(u64 trampoline, u64 slot, u64 *ret NONNULL)
{
	struct task_struct *t = target_get();
	int err = -ENOENT;

	if (!t)
		return err;
	if (bpf_core_field_exists(t->mm->uprobes_state.xol_area) &&
	    BPF_CORE_READ(t, mm, uprobes_state.xol_area, vaddr) == trampoline)
		err = return_of(t, slot, ret);
	target_put(t);
	return err;
}

CORE struct module *port_module(const struct module_key *key)
{
	return bpf_map_lookup_elem(&modules, key);
}

CORE struct module *port_module_add(struct modules *ms, bool again)
{
	int err = bpf_map_update_elem(&modules, &ms->key, &ms->shareable, again ? BPF_EXIST : BPF_NOEXIST);
	struct walker *w;

	if (!err) {
		count_total(COUNT_MODULES, !again);
		w = this_walker();
		if (w)
			module_event(&w->module_room, ms);
	} else if (err != -EEXIST) {
		count_total(COUNT_MODULES_FULL, 1);
	}
	return bpf_map_lookup_elem(&modules, &ms->key);
}

CORE u32 port_code_number(u64 space, u64 object, u64 fingerprint)
{
	struct code_place place = {space, object};
	struct numbered_code *known = bpf_map_lookup_elem(&code_numbers, &place);

	return known && known->fingerprint == fingerprint && code_is_of_use(known->number, registry.code_generation)
		       ? known->number
		       : 0;
}

struct numbering {
	struct lang *lang;
	u32 number, generation;
	bool fresh;
};

/* Give the content the next number that it may have, unless other content has it. */
static long try_number(u32 turn, void *ctx)
{
	struct numbering *n = ctx;
	u32 number = code_number(n->lang->hash ^ registry.code_seed, turn, n->generation);
	struct code_content *known = bpf_map_lookup_elem(&codes, &number);

	if (!known && bpf_map_update_elem(&codes, &number, &n->lang->content, BPF_NOEXIST))
		known = bpf_map_lookup_elem(&codes, &number); /* another walk may have put it there */
	else if (!known)
		n->fresh = n->number = number;
	if (known && code_is_same(known, &n->lang->content))
		n->number = number;
	return n->number ? STOP : NEXT;
}

GLOBAL u32 port_code_add(struct lang *l NONNULL, bool is_piece)
{
	struct code_place place = {l->space, l->code};
	struct numbering n = {.lang = l, .generation = registry.code_generation};
	struct numbered_code code = {.fingerprint = l->fingerprint};

	bpf_loop(CODE_PROBES, try_number, &n, 0);
	code.number = n.number;
	if (code.number && !is_piece)
		bpf_map_update_elem(&code_numbers, &place, &code, BPF_ANY);
	if (n.fresh)
		count_total(COUNT_CODES, 1);
	if (!code.number)
		count_total(COUNT_CODES_FULL, 1);
	return code.number;
}
