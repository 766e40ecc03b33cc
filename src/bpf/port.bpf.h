/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which pages of the target may be waited for? */
#pragma once
#include "maps.h"

/*
 * May the walk fault in @len bytes at @addr? 0: yes, and it is remembered: once a page and walk.
 * -EFAULT and -EACCES as port_read() has them.
 */
GLOBAL int may_fault(u64 addr, u32 len);

/*
 * How often the target's mappings may be asked for while it is changing them: what has them locked can keep them so for as
 * long as it likes. Where we may not sleep it is less.
 */
extern const volatile u32 lock_tries CORE;
GLOBAL int mappings_are_busy(void);	/* still, after so many */

/*
 * Then, where we may sleep: wait until they are not. A program that maps and unmaps much has the lock for longer than anybody
 * should spin: of 20,000 absences of tests/live/victims/absent.c 6 % had no stack without this. False: it cannot be waited for.
 */
CORE bool wait_for_mappings(void);

/* Whose the mapping at @addr is, to @e; and announce_file() of it. */
CORE void announce_mapping(u64 addr, struct event_module *e, void *path_walk);
