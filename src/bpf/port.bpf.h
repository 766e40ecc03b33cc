/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which pages of the target may be waited for? */
#pragma once
#include "maps.h"

/*
 * May the walk of the current task fault in @len bytes at @addr? 0: yes, and it is remembered: once a page and walk.
 * -EFAULT and -EACCES as port_read() has them.
 */
GLOBAL int may_fault(u64 addr, u32 len);

/* announce_file() of the mapping of @t, the current task, at @addr. */
CORE void announce_mapping(struct task_struct *t, u64 addr, void *path_walk);
