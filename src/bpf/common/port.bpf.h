/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Access to the target's memory and mappings, and which of its pages a walk may wait for. */
#pragma once
#include "bpf/common/maps.h"

/*
 * Why could port_peek() not read @len bytes at @addr? Returns -EFAULT: they are not mapped; -EACCES: waiting for them is
 * not safe; or it is, once per walk, and struct page_wait says for which page.
 */
GLOBAL int port_refuse(u64 addr, u32 len);

/*
 * How often a walk looks at the target's mmap lock before it gives up a page for which it would have to wait; 0: the
 * walk may not sleep. It must not wait for the lock: its holder can keep it for any time, for instance by a page fault
 * on a FUSE file of its own.
 */
extern const volatile u32 lock_looks CORE;

/* Fill @e's pid and parent, and call send_module_event() with @path_walk for the mapping at @addr. */
CORE void fill_module_event(u64 addr, struct event_module *e, void *path_walk);
