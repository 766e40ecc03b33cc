/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Report each cgroup that is made, before a task can be in it: it may be gone when user space looks for its path. Those
 * that were there before the recording are read from the file system (src/lib/record/cgroups.h).
 */
#include "bpf/common/emit.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define CGROUP2 0 /* the hierarchy's id (linux 6.18 kernel/cgroup/cgroup.c, cgroup_init()) */

/* The number of the cgroup in which @cgrp was made; 0: it is the root. */
static INLINE u64 parent_of(struct cgroup *cgrp)
{
	struct cgroup **ancestors = __builtin_preserve_access_index(&cgrp->ancestors[0]), *parent;
	int level = cgrp->level;

	if (level <= 0 || bpf_probe_read_kernel(&parent, sizeof(parent), &ancestors[level - 1]))
		return 0;
	return BPF_CORE_READ(parent, kn, id);
}

/* What is made in a recorded cgroup is recorded. */
static INLINE void inherit(struct cgroup *cgrp)
{
	u64 parent = parent_of(cgrp), id = cgrp->kn->id;
	u32 yes = 1;

	if (bpf_map_lookup_elem(&cgroups, &parent) && bpf_map_update_elem(&cgroups, &id, &yes, BPF_ANY))
		count(COUNT_LOST_CGROUPS, 1);
}

/* Send the path, and not more: a user who may make cgroups could fill the ring with them. */
static INLINE int report(struct cgroup *cgrp, const char *path, struct stack *s)
{
	struct event_cgroup *e = (struct event_cgroup *)s->frame;
	long bytes;

	e->kind = EVENT_CGROUP;
	e->pad = 0;
	e->id = cgrp->kn->id;
	bytes = bpf_probe_read_kernel_str(e->path, sizeof(e->path), path);
	if (bytes <= 0 || bytes > sizeof(e->path))
		return -EFAULT;
	return bpf_ringbuf_output(&events, e, sizeof(*e) - sizeof(e->path) + bytes,
				  wakeup(&events, filter.filter_cgroup)); /* user space may have to choose it */
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(on_cgroup_made, struct cgroup *cgrp, const char *path)
{
	struct stack *s;

	if (cgrp->root->hierarchy_id != CGROUP2)
		return 0;
	if (filter.inherit_cgroup)
		inherit(cgrp);
	s = scratch_get();
	if (!s || report(cgrp, path, s))
		count(COUNT_LOST_CGROUPS, 1);
	if (s)
		scratch_put();
	return 0;
}

/* The last task of a cgroup that was removed has ended. */
SEC("tp_btf/cgroup_release")
int BPF_PROG(on_cgroup_gone, struct cgroup *cgrp, const char *path)
{
	u64 id = cgrp->kn->id;

	if (filter.filter_cgroup && cgrp->root->hierarchy_id == CGROUP2)
		bpf_map_delete_elem(&cgroups, &id);
	return 0;
}
