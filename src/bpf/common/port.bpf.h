/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to the target's memory and mappings, and which of its pages a walk may wait for. */
#pragma once
#include "bpf/common/maps.h"

/*
 * Say whether the walk may fault in @len bytes at @addr. 1: yes, and this page counts as faulted in: once per walk.
 * -EFAULT and -EACCES as port_read().
 */
GLOBAL int port_may_fault(u64 addr, u32 len);

/* Copy @len bytes at @addr, and wait for their page. 0 or -EFAULT; -EACCES where sleeping is not allowed. */
CORE int port_fetch(void *dst, u32 len, u64 addr);

/*
 * How often a walk looks at the target's mmap lock before it gives up a page for which it would have to wait; 0: the
 * walk may not sleep. It must not wait for the lock: its holder can keep it for any time, for instance by a page fault
 * on a FUSE file of its own.
 */
extern const volatile u32 lock_looks CORE;

/* Fill @e's pid and parent, and call send_module_event() with @path_walk for the mapping at @addr. */
CORE void fill_module_event(u64 addr, struct event_module *e, void *path_walk);
