/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How elements of the kernel side's maps begin, as far as user space looks at them. */
#pragma once
#include "abi/types.h"

/* Of the map "walkers". */
struct walker_head {
	u32 tid;      /* whose stack it walks; 0: free */
	u32 tgid;     /* whose process that is; 0: not known */
	u64 since_ns; /* CLOCK_MONOTONIC: when it was claimed; 0: just now, or free */
};

/* Of the map "tasks". */
struct task_head {
	u64 task_work; /* the kernel's; reads as 0 */
	u64 deferral;  /* core/shared/defer.h */
};
