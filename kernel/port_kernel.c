/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * core/port.h for a module: the current task's memory and mappings. Its files are in files.c.
 *
 * A wait for a page can take for ever: userfaultfd and FUSE let a process decide when a page comes. So memory is first
 * read without faulting, and faulted in only if no user can hold the page back. Nor does a walk wait for a task that
 * changes mappings.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/uaccess.h>
#include <asm/vdso.h>
#include "../src/core/vma.h"
#include "pool.h"

#define LOOKS 20000 /* how often a walk looks at a lock that is taken: about a millisecond */
#define LOOKUPS 64  /* how often a walk looks for mappings that are being changed */
#define FAULTS 4096

/* May the walk wait for a page of @vma? */
static bool safe_to_fault(const struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_PFNMAP | VM_IO))
		return false;
#ifdef CONFIG_USERFAULTFD
	if (vma->vm_userfaultfd_ctx.ctx)
		return false;
#endif
	return !vma->vm_file || filesystem_is_safe(file_inode(vma->vm_file)->i_sb->s_magic);
}

typedef void (*visit_fn)(const struct vm_area_struct *vma, void *ctx);

/*
 * Call @fn for the mapping at @addr; @fn must not sleep. Returns 0; -ENOENT: there is none; -EBUSY: mappings are being
 * changed. Tries the lock of the mapping first, as page faults do, then the mmap lock, and waits for neither.
 */
static int visit(u64 addr, visit_fn fn, void *ctx)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;

	if (addr >= TASK_SIZE_MAX)
		return -ENOENT;
	vma = lock_vma_under_rcu(mm, addr);
	if (vma) {
		fn(vma, ctx);
		vma_end_read(vma);
		return 0;
	}
	if (!mmap_read_trylock(mm))
		return -EBUSY;
	vma = vma_lookup(mm, addr);
	if (vma)
		fn(vma, ctx);
	mmap_read_unlock(mm);
	return vma ? 0 : -ENOENT;
}

/* Would a page fault have to wait for the mmap lock, now and during all looks that the walk has left? */
static bool mappings_stay_locked(struct guard *g)
{
	unsigned int sequence;

	for (; g->looks < LOOKS; g->looks++) {
		if (mmap_lock_speculate_try_begin(current->mm, &sequence) && mmap_read_trylock(current->mm)) {
			mmap_read_unlock(current->mm);
			return false;
		}
		cpu_relax();
	}
	return true;
}

/*
 * Note that this walk faults in the page of @addr. False: it already has, and the page did not stay, or the walk has
 * faulted in too many.
 */
static bool first_fault(struct guard *g, u64 addr)
{
	u64 page = addr / PAGE_BYTES + 1;
	u64 *known = &g->page[page % GUARD_PAGES];

	if (*known == page || g->faults >= FAULTS)
		return false;
	*known = page;
	g->faults++;
	return true;
}

struct question {
	u64 end;
	int answer;
};

static void answer(const struct vm_area_struct *vma, void *ctx)
{
	struct question *q = ctx;

	q->answer = q->end > vma->vm_end ? -EFAULT : safe_to_fault(vma) ? 0 : -EACCES;
}

/* May the walk fault in @len bytes at @addr? Returns 0: yes, and this is noted; else an error as from port_read(). */
static int may_fault(u64 addr, u32 len)
{
	struct walker *w = walker_here();
	struct question q = {.end = addr + len};
	int err;

	if (addr >= TASK_SIZE_MAX || !w)
		return -EFAULT;
	if (mappings_stay_locked(&w->guard))
		return -EACCES;
	err = visit(addr, answer, &q);
	if (err)
		return err == -ENOENT ? -EFAULT : -EACCES;
	if (q.answer)
		return q.answer;
	return first_fault(&w->guard, addr) ? 0 : -EACCES;
}

int port_peek(void *dst, u32 len, u64 addr)
{
	return copy_from_user_nofault(dst, (const void __user *)addr, len) ? -EFAULT : 0;
}

int port_read(void *dst, u32 len, u64 addr)
{
	int err;

	if (!port_peek(dst, len, addr))
		return 0;
	err = may_fault(addr, len);
	if (!err && copy_from_user(dst, (const void __user *)addr, len))
		err = -EFAULT;
	return err;
}

int port_wait(void *dst, u32 len, u64 addr)
{
	return port_read(dst, len, addr);
}

static u8 which_vdso(const struct vm_area_struct *vma)
{
	const mm_context_t *context = &vma->vm_mm->context;

	if ((unsigned long)context->vdso != vma->vm_start || !vma->vm_ops) /* or something else is mapped there */
		return 0;
	return context->vdso_image->sym_int80_landing_pad ? 2 : 1;
}

static void fill(const struct vm_area_struct *vma, void *ctx)
{
	struct vma *v = ctx;

	*v = (struct vma){
		.start = vma->vm_start,
		.end = vma->vm_end,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.executable = !!(vma->vm_flags & VM_EXEC),
		.shared = !!(vma->vm_flags & VM_SHARED),
		.copies = (u64)vma->anon_vma, /* from its first private copy of a page on, as long as it exists */
		.sequence = READ_ONCE(vma->vm_mm->mm_lock_seq.sequence),
	};
	if (vma->vm_file) {
		const struct inode *inode = file_inode(vma->vm_file);

		v->filesystem = inode->i_sb->s_magic;
		v->ino = inode->i_ino;
		v->dev = inode->i_sb->s_dev;
		v->generation = inode->i_generation;
	} else {
		v->vdso = which_vdso(vma);
	}
	vma_settle(v);
}

int port_vma(u64 addr, struct vma *ret)
{
	struct walker *w = walker_here();
	int err;

	for (;;) {
		err = visit(addr, fill, ret);
		if (err != -EBUSY || !w || ++w->guard.lookups >= LOOKUPS)
			return err;
		cpu_relax();
	}
}

static bool is_start_of(const struct vm_area_struct *vma, const struct vma *like)
{
	const struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;

	return inode && !vma->vm_pgoff && inode->i_ino == like->ino && inode->i_sb->s_dev == like->dev;
}

/*
 * Return the last address at which the start of @like's file is mapped, in the first @most mappings from @from up to
 * @like; 0: none.
 */
static u64 start_from_on(const struct vma *like, u64 from, u32 most)
{
	struct mm_struct *mm = current->mm;
	VMA_ITERATOR(it, mm, from);
	struct vm_area_struct *vma;
	u64 start = 0;

	if (!mmap_read_trylock(mm))
		return 0;
	for_each_vma(it, vma)
	{
		if (vma->vm_start > like->start || !most--)
			break;
		if (is_start_of(vma, like))
			start = vma->vm_start;
	}
	mmap_read_unlock(mm);
	return start;
}

/* Where to begin to look, below where linkers usually put the start: src/bpf/common/port.bpf.c. */
static const u64 gaps[] = {16ULL << 20, 1ULL << 30, 64ULL << 30, 1ULL << 63};

u64 port_file_start(const struct vma *like, u32 most)
{
	u64 expected = like->start - like->offset, start;

	if (like->offset == 0)
		return like->start;
	start = start_from_on(like, expected, 1);
	for (u32 i = 0; i < COUNT(gaps) && !start; i++)
		start = start_from_on(like, like->start > gaps[i] ? like->start - gaps[i] : 0, most);
	return start;
}

int port_true_return(u64 trampoline, u64 slot, u64 *ret)
{
	struct uprobe_task *probed = current->utask;
	struct return_instance *call = probed ? probed->return_instances : NULL;

	/* Modules cannot ask where the page is: it is there if the slot is one of a uretprobe. */
	for (; call; call = call->next)
		if (call->stack == slot) {
			*ret = call->orig_ret_vaddr;
			return 0;
		}
	return -ENOENT;
}
