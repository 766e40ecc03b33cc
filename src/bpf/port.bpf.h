/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which pages of the target may be waited for? */
#pragma once
#include "maps.h"

/*
 * May the walk fault in @len bytes at @addr? 0: yes, and it is remembered: once a page and walk.
 * -EFAULT and -EACCES as port_read() has them.
 */
GLOBAL int may_fault(u64 addr, u32 len);

/* The target's mmap lock was taken: has it been released? False: it could not be waited for. */
CORE bool wait_for_mappings(void);

/* Whose the mapping at @addr is, to @e; and announce_file() of it. */
CORE void announce_mapping(u64 addr, struct event_module *e, void *path_walk);
