/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of the kernel's types that we use; libbpf relocates the fields to the running kernel's layout. Written by
 * hand, because vmlinux.h has 130,000 lines and occupies common names (module, page, range, vma).
 */
#pragma once
#include "core/env.h"

typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef s8 __s8;
typedef s16 __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;

#define NULL ((void *)0)

enum { BPF_ANY, BPF_NOEXIST, BPF_EXIST };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
enum { BPF_F_SKIP_FIELD_MASK = 0xff };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2, BPF_RB_AVAIL_DATA = 0, BPF_RB_RING_SIZE = 1 };
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

#define PF_USER_WORKER 0x00004000 /* vhost and io_uring threads (linux 6.18 include/linux/sched.h) */
#define PF_IO_WORKER 0x00000010
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000

#define FMODE_BACKING (1 << 24) /* since 6.14 (linux include/linux/fs.h) */

#define VM_EXEC 0x00000004
#define VM_SHARED 0x00000008
#define VM_PFNMAP 0x00000400
#define VM_IO 0x00004000

/* A definition, because libbpf compares the prototypes of kfuncs, and a mere declaration does not match a struct. */
struct bpf_map {
	u32 id;
} __attribute__((preserve_access_index));
typedef int (*bpf_task_work_callback_t)(struct bpf_map *map, void *key, void *value);

struct bpf_task_work {
	u64 opaque_;
} __attribute__((aligned(8)));

struct bpf_iter_task_vma {
	u64 opaque_[1];
} __attribute__((aligned(8)));

struct bpf_dynptr {
	u64 opaque_[2];
} __attribute__((aligned(8)));

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#include "bpf/arch/kernel.h"

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

typedef struct {
	u32 val;
} kuid_t;

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	kuid_t i_uid;
	long long i_size;
};

struct qstr {
	u32 len;
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	u32 f_mode;
	struct inode *f_inode;
	struct path f_path;
};

/* The file of an overlayfs mapping: a file of the layer below, and the path by which the user opened it. */
struct backing_file {
	struct file file;
	struct path user_path;
};

struct fs_struct {
	struct path root;
};

struct userfaultfd_ctx;

struct vm_userfaultfd_ctx {
	struct userfaultfd_ctx *ctx;
};

struct anon_vma;
struct vm_operations_struct;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	atomic_t refs;
} refcount_t;

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags, vm_pgoff;
	struct mm_struct *vm_mm;
	u32 vm_lock_seq;
	refcount_t vm_refcnt;
	struct anon_vma *anon_vma;
	const struct vm_operations_struct *vm_ops;
	struct file *vm_file;
	struct vm_userfaultfd_ctx vm_userfaultfd_ctx;
};

struct seqcount {
	u32 sequence;
};

typedef struct seqcount seqcount_t;

typedef struct {
	s64 counter;
} atomic64_t;

struct rw_semaphore {
	atomic64_t count;
};

struct maple_tree {
	void *ma_root;
};

struct maple_range_64 {
	unsigned long pivot[15];
};

struct maple_arange_64 {
	unsigned long pivot[9];
};

/* The page with the copies of instructions under uprobes. It begins with what functions with uretprobes return to. */
struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	struct maple_tree mm_mt;
	unsigned long start_code, arg_start, arg_end;
	struct rw_semaphore mmap_lock;
	seqcount_t mm_lock_seq;
	mm_context_t context;
	struct uprobes_state uprobes_state;
};

struct signal_struct {
	atomic_t live;
};

/* A call of a function with a uretprobe: where its return address lies, which one that was, and the call before it. */
struct return_instance {
	unsigned long stack, orig_ret_vaddr;
	struct return_instance *next;
};

/* The instruction under a uprobe may run from a copy: its own address and the copy's, which is 0 otherwise. */
struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr, xol_vaddr;
};

struct sched_info {
	unsigned long long run_delay;
};

struct rq;

struct cfs_rq {
	struct rq *rq;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct cred {
	kuid_t uid, euid;
};

struct kernfs_node {
	u64 id;
};

struct cgroup_root {
	int hierarchy_id;
};

struct cgroup {
	struct kernfs_node *kn;
	struct cgroup_root *root;
	int level;		     /* 0: the root */
	struct cgroup *ancestors[1]; /* by level; itself is the last one */
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	struct thread_info thread_info;
	u32 flags;
	unsigned int __state;
	u32 on_cpu; /* an int, since 7.2 a byte; unsigned, as libbpf adjusts the size of unsigned fields only */
	int exit_state;
	unsigned long nvcsw, nivcsw;
	u64 utime;
	u64 start_time;
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;
	u8 throttled; /* since 6.18, with CONFIG_CFS_BANDWIDTH */
	struct thread_struct thread;
	struct mm_struct *mm;
	int pid, tgid;
	struct task_struct *group_leader, *real_parent;
	u64 start_boottime;
	struct fs_struct *fs;
	struct signal_struct *signal;
	u32 self_exec_id;
	u32 kstack_offset;
	struct uprobe_task *utask;
	const struct cred *cred;
	struct css_set *cgroups;
};

struct linux_binprm;
struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 session_id, seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop
