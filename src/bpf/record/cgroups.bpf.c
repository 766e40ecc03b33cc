/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Report each cgroup that is made, before a task can be in it: it may be gone when user space looks for its path. Those
 * that were there before the recording are read from the file system (src/lib/record/cgroups.h).
 */
#include "bpf/common/emit.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include <bpf/bpf_tracing.h>

#define CGROUP2 0 /* the hierarchy's id (linux 6.18 kernel/cgroup/cgroup.c, cgroup_init()) */

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(on_cgroup_made, struct cgroup *cgrp, const char *path)
{
	struct event_cgroup *e;

	if (cgrp->root->hierarchy_id != CGROUP2)
		return 0;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		count(COUNT_LOST_CGROUPS, 1);
		return 0;
	}
	e->kind = EVENT_CGROUP;
	e->pad = 0;
	e->id = cgrp->kn->id;
	if (bpf_probe_read_kernel_str(e->path, sizeof(e->path), path) < 0)
		e->path[0] = 0;
	bpf_ringbuf_submit(e, wakeup(&events, false));
	return 0;
}
