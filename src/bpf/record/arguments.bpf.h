/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Report the arguments with which a process begins. Most processes of a build or a script are gone when user space looks at
 * /proc/PID/cmdline (src/lib/record/titles.h).
 */
#pragma once
#include "bpf/common/emit.bpf.h"
#include "bpf/record/recorder.bpf.h"

#define HALF (ARGUMENTS_BYTES / 2)

/* Copy the arguments of the current process. They have just been written, or its pages are as its parent's; else none are copied. */
static INLINE void arguments_read(struct event_arguments *e)
{
	struct mm_struct *mm = bpf_get_current_task_btf()->mm;
	u64 start = mm ? mm->arg_start : 0, bytes = mm ? mm->arg_end - start : 0;
	long err;

	if (bytes <= ARGUMENTS_BYTES) {
		bytes = opaque(bytes);
		err = bytes && bytes <= ARGUMENTS_BYTES ? bpf_probe_read_user(e->text, bytes, (const void *)start)
							: -EFAULT;
	} else {
		err = bpf_probe_read_user(e->text, HALF, (const void *)start);
		err = err ?: bpf_probe_read_user(e->text + HALF, HALF, (const void *)(start + bytes - HALF));
		bytes = ARGUMENTS_BYTES;
	}
	e->bytes = err ? 0 : bytes;
}

/* Process @t begins, @executed or else as a child of the current one. */
static INLINE void arguments_send(struct task_struct *t, bool executed)
{
	struct event_arguments *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		count(COUNT_LOST_ARGUMENTS, 1);
		return;
	}
	e->kind = EVENT_ARGUMENTS;
	e->pid = t->tgid;
	e->uid = t->cred->uid.val;
	e->executed = executed;
	bpf_probe_read_kernel_str(e->comm, sizeof(e->comm), t->comm);
	arguments_read(e);
	if (e->bytes)
		bpf_ringbuf_submit(e, wakeup(&events, false));
	else
		bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
}
