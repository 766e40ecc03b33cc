/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The beginning of elements of the kernel side's maps: the part that user space reads. */
#pragma once
#include "abi/types.h"

/* Of the map "walkers". */
struct walker_head {
	u32 tid;      /* the task that is being walked; 0: the walker is free */
	u32 tgid;     /* the process of that task; 0: unknown */
	u64 since_ns; /* CLOCK_MONOTONIC, when it was claimed; 0: claimed just now, or free */
};

/* Of the map "tasks". */
struct task_head {
	u64 task_work; /* the kernel's; reads as 0 */
	u64 deferral;  /* core/shared/defer.h */
};
