/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which pages of the target may be waited for? */
#pragma once
#include "bpf/common/maps.h"

/*
 * May the walk fault in @len bytes at @addr? 1: yes, and it is remembered: once a page and walk.
 * -EFAULT and -EACCES as port_read() has them.
 */
GLOBAL int port_may_fault(u64 addr, u32 len);

/* Copy @len bytes at @addr, and wait for the page: 0 or -EFAULT. -EACCES where we may not sleep. */
CORE int port_fetch(void *dst, u32 len, u64 addr);

/*
 * How often a walk looks at the target's mmap lock, before it gives up a page for which it would have to wait; 0: it
 * may not sleep. It must not wait for the lock: what has it can keep it for as long as it likes, as by a page fault on
 * a FUSE file of its own.
 */
extern const volatile u32 lock_looks CORE;

/* Whose the mapping at @addr is, to @e; and send_module_event() of it. */
CORE void fill_module_event(u64 addr, struct event_module *e, void *path_walk);
