/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The current time: CLOCK_MONOTONIC, the clock of bpf_ktime_get_ns() on the kernel side. */
#pragma once
#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The CPU time that this process has used so far. */
static inline uint64_t cpu_used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline double now_s(void)
{
	return now_ns() / 1e9;
}
