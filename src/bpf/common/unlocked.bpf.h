/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the mapping at an address without the mmap lock.
 *
 * To wait for a target's mmap lock can take as long as the target likes; to only try for it fails often where threads
 * map and unmap memory. The kernel itself looks VMAs up under RCU for page faults (linux 6.18 mm/mmap_lock.c,
 * lock_vma_under_rcu()), and this does the same without writing. The tree is that of lib/maple_tree.c,
 * mtree_lookup_walk(). A VMA is valid if it had no writer both before and after it was read: a writer first marks the
 * VMA, in vm_lock_seq, and the mark stays until mm_lock_seq has changed (include/linux/mmap_lock.h).
 */
#pragma once
#include "bpf/common/kernel.h"
#include <bpf/bpf_core_read.h>

extern void bpf_rcu_read_lock(void) __ksym;
extern void bpf_rcu_read_unlock(void) __ksym;
extern void *bpf_rdonly_cast(const void *obj, u32 btf_id) __ksym;

/*
 * @ptr, a struct TYPE, as a pointer that the verifier does not trust. To follow a trusted one costs it about a
 * millisecond each time: it searches the kernel's BTF, from its beginning, for what the field's type promises.
 */
#define untrusted(TYPE, ptr) ((const struct TYPE *)bpf_rdonly_cast((ptr), bpf_core_type_id_kernel(struct TYPE)))

typedef long (*visit_fn)(struct task_struct *t, struct vm_area_struct *vma, void *ctx);

#define TREE_LEVELS 8 /* with 10 entries in each node, enough for 100,000,000 mappings */
#define NODE_MASK 255ULL
enum { MAPLE_RANGE_64 = 2, MAPLE_ARANGE_64 }; /* below: leaves */

static INLINE u64 kernel_word(u64 addr)
{
	u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)addr);
	return word;
}

/* The address of the slot for @addr in @node of @pivots pivots: the one after the last pivot below @addr. */
static INLINE u64 tree_slot(u64 node, u32 pivots, u64 addr)
{
	u64 pivot = node + 8;

	each (i, pivots) {
		if (kernel_word(pivot) >= addr)
			break;
		pivot += 8;
	}
	return pivot + 8 * pivots;
}

/* The address of the VMA that the tree with the root @entry has at @addr; 0: there is none, or the tree was changed meanwhile. */
static INLINE u64 tree_find(u64 entry, u64 addr)
{
	if ((entry & 3) != 2 || entry <= PAGE_BYTES) /* no node */
		return 0;
	each (level, TREE_LEVELS) {
		u64 node = entry & ~NODE_MASK;
		u32 type = entry >> 3 & 15;
		u32 pivots = type == MAPLE_ARANGE_64 ? COUNT(((struct maple_arange_64 *)0)->pivot)
						     : COUNT(((struct maple_range_64 *)0)->pivot);

		pivots += loop_zero; /* so that the verifier does not know which of the two it is */
		entry = kernel_word(tree_slot(node, pivots, addr));
		if ((kernel_word(node) & ~NODE_MASK) == node) /* its own parent: the node was replaced */
			return 0;
		if (type < MAPLE_RANGE_64)
			return entry & 3 || entry <= PAGE_BYTES ? 0 : entry;
	}
	return 0;
}

/* The same, verified once. The kernel allows the call under RCU, as it does not sleep. */
GLOBAL u64 tree_find_once(u64 entry, u64 addr)
{
	return tree_find(entry, addr);
}

/* Read the root, too. @flat: without a call frame, as port_refuse() has none left. */
static INLINE u64 find_unlocked(const struct mm_struct *mm, u64 addr, bool flat)
{
	return flat ? tree_find((u64)mm->mm_mt.ma_root, addr)
		    : tree_find_once((u64)BPF_CORE_READ(mm, mm_mt.ma_root), addr);
}

/* Does @vma of @mm have no writer? */
static INLINE bool vma_is_quiet(const struct vm_area_struct *vma, const struct mm_struct *mm)
{
	return vma->vm_mm == mm && vma->vm_refcnt.refs.counter > 0 && vma->vm_lock_seq != mm->mm_lock_seq.sequence;
}

static INLINE bool can_find_unlocked(const struct mm_struct *mm)
{
	return bpf_core_field_exists(mm->mm_mt) && bpf_core_field_exists(mm->mm_lock_seq) &&
	       bpf_core_field_exists(((struct vm_area_struct *)0)->vm_refcnt);
}

/*
 * Show @fn the mapping of @t that holds @addr. 0; -ENOENT: there is none; -EBUSY: it is being changed, or may be: what
 * @fn saw, if anything, is valid only if it was known before. fork() marks all mappings, and changes none of them. @flat:
 * as find_unlocked().
 */
static INLINE int visit_unlocked(struct task_struct *t, u64 addr, visit_fn fn, void *ctx, bool flat)
{
	const struct mm_struct *mm = untrusted(task_struct, t)->mm;
	struct vm_area_struct *vma;
	int err = -EBUSY;
	u32 sequence, written;
	u64 found;

	if (!mm)
		return err;
	bpf_rcu_read_lock();
	sequence = mm->mm_lock_seq.sequence;
	found = find_unlocked(mm, addr, flat);
	vma = (struct vm_area_struct *)untrusted(vm_area_struct, (const void *)found);
	written = vma->vm_lock_seq;
	if (found && vma->vm_start <= addr && addr < vma->vm_end) {
		bool quiet = vma_is_quiet(vma, mm);

		fn(t, vma, ctx);
		if (quiet && vma_is_quiet(vma, mm) && vma->vm_lock_seq == written)
			err = 0;
	} else if (!found && !(sequence & 1) && mm->mm_lock_seq.sequence == sequence) {
		err = -ENOENT;
	}
	bpf_rcu_read_unlock();
	return err;
}
