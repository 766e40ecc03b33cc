/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The current time: CLOCK_MONOTONIC, the clock of bpf_ktime_get_ns() on the kernel side. */
#pragma once
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* The time of @clock, in nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* The CPU time that this process has used so far, with its children that have ended and were waited for. */
static inline uint64_t cpu_used_ns(void)
{
	struct rusage of = {0};

	getrusage(RUSAGE_CHILDREN, &of);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + (of.ru_utime.tv_sec + of.ru_stime.tv_sec) * 1000000000ULL +
	       (of.ru_utime.tv_usec + of.ru_stime.tv_usec) * 1000ULL;
}

static inline double now_s(void)
{
	return now_ns() / 1e9;
}
