/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write the off-CPU intervals of mode copied: long ones one by one; short ones as sums of those of one thread with one
 * stack and state, about once a second, as the kernel side does in the full mode.
 */
#pragma once
#include "base/strings.h"
#include "lib/copied/switches.h"
#include "lib/record/join.h"

struct interval_sum;

/* To be initialized with its first two members; the rest is zero. */
struct intervals {
	struct join *join;
	uint64_t min_ns; /* shorter intervals are summed up */
	struct strings keys;
	struct vec(struct interval_sum) sums; /* by the number of their key */
};

/* Add an interval of @thread, a number of profile_thread(). */
void intervals_add(struct intervals *s, uint32_t thread, const struct switch_interval *i);

/* Write the sums so far. */
void intervals_sum_up(struct intervals *s);
void intervals_done(struct intervals *s);
