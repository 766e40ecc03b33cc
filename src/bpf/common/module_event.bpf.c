/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send module events, with the file's path.
 *
 * The path is found here and not looked up later, because a process that lives for two milliseconds is gone before user
 * space could read /proc. No helper gives paths to tracing programs, so the path is built from the dentries, from the
 * leaf to the target's root, into the end of the buffer.
 */
#include "bpf/common/module_event.bpf.h"
#include "bpf/common/consumers.bpf.h"
#include "bpf/common/port.bpf.h"
#include <bpf/bpf_core_read.h>

#define MAX_COMPONENTS 64

struct path_walk {
	u64 dentry, mount;	     /* current position; struct dentry *, struct mount * */
	u64 root_dentry, root_mount; /* of the target */
	struct event_module *event;  /* from its path_start on, the path so far */
};

static INLINE u64 mount_of(u64 vfsmount)
{
	return vfsmount - bpf_core_field_offset(struct mount, mnt);
}

/* Put "/name" before the path so far. A path that does not fit is dropped. */
static INLINE int prepend(struct path_walk *p, const struct dentry *d)
{
	u32 len = BPF_CORE_READ(d, d_name.len), pos = p->event->path_start;
	const unsigned char *name = BPF_CORE_READ(d, d_name.name);

	if (len >= NAME_BYTES || pos < len + 1 || pos > PATH_BYTES) {
		p->event->path_start = PATH_BYTES;
		return STOP;
	}
	pos -= len + 1;
	at(p->event->path, pos) = '/';
	if (len)
		bpf_probe_read_kernel(&at(p->event->path, pos) + 1, len & (NAME_BYTES - 1), name);
	p->event->path_start = pos;
	return NEXT;
}

static long path_step(u32 turn, void *ctx)
{
	struct path_walk *p = ctx;
	const struct dentry *d = (void *)p->dentry, *parent;
	const struct mount *m = (void *)p->mount;
	u64 above;

	if (p->dentry == p->root_dentry && p->mount == p->root_mount)
		return STOP;
	parent = BPF_CORE_READ(d, d_parent);
	if (d == BPF_CORE_READ(m, mnt.mnt_root) || d == parent) { /* leave the mount */
		above = (u64)BPF_CORE_READ(m, mnt_parent);
		if (above == p->mount)
			return STOP;
		p->dentry = (u64)BPF_CORE_READ(m, mnt_mountpoint);
		p->mount = above;
		return NEXT;
	}
	p->dentry = (u64)parent;
	return prepend(p, d);
}

/* Called while the VMA cannot go away, so that the file stays. Reads kernel memory only. */
CORE long send_module_event(struct task_struct *t, struct vm_area_struct *vma, void *ctx)
{
	struct path_walk *p = ctx;
	struct file *file = BPF_CORE_READ(vma, vm_file); /* by a helper: trusted pointers are slow to verify */
	struct fs_struct *fs = BPF_CORE_READ(t, fs);

	if (!file || !fs)
		return 0;
	p->event->owner = BPF_CORE_READ(file, f_inode, i_uid.val);
	p->event->size = BPF_CORE_READ(file, f_inode, i_size);
	p->dentry = (u64)BPF_CORE_READ(file, f_path.dentry);
	p->mount = mount_of((u64)BPF_CORE_READ(file, f_path.mnt));
	if (BPF_CORE_READ(file, f_mode) & FMODE_BACKING) {
		p->dentry = (u64)BPF_CORE_READ((struct backing_file *)file, user_path.dentry);
		p->mount = mount_of((u64)BPF_CORE_READ((struct backing_file *)file, user_path.mnt));
	}
	p->root_dentry = (u64)BPF_CORE_READ(fs, root.dentry);
	p->root_mount = mount_of((u64)BPF_CORE_READ(fs, root.mnt));
	return 0;
}

GLOBAL int module_event(struct module_room *room NONNULL, struct modules *ms NONNULL)
{
	struct event_module *e = &room->event;
	struct path_walk p = {.event = e};

	e->kind = EVENT_MODULE;
	e->id = ms->shareable.id;
	e->dev = ms->key.dev;
	e->ino = ms->key.ino;
	e->generation = ms->key.generation;
	e->start = ms->vma.start;
	e->end = ms->vma.end;
	e->vdso = ms->vma.vdso;
	e->build_id_bytes = ms->shareable.build_id_bytes;
	e->owner = 0;
	e->size = 0;
	__builtin_memcpy(e->build_id, ms->shareable.build_id, BUILD_ID_BYTES);
	e->path_start = PATH_BYTES;
	fill_module_event(ms->vma.start, e, &p);
	if (p.dentry)
		bpf_loop(MAX_COMPONENTS, path_step, &p, 0);
	deliver_module(e);
	return 0;
}
