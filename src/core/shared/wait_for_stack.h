/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keep an amount until the stack of its request is known: with the task, or where task_sums_add() says. The file that includes
 * this one defines sums_enter_row() and sums_enter_orphans().
 */
#pragma once
#include "abi/consumer.h"
#include "abi/outcome.h"
#include "core/shared/aggregation.h"

struct task_state;

/* Add @what to row @key of the aggregation map. */
static INLINE void sums_enter_row(struct aggregation_key *key, struct task_sum *what);

/* Enter the sums of @st under the stack of its last walk, which has ended. */
static INLINE void sums_enter_orphans(struct task_state *st);

/* @sums and @d are those of @st, of the current task. @cookie: of the request of @what, which is pending. */
static INLINE void wait_for_stack(struct task_state *st, struct task_sums *sums, struct defer *d, u64 cookie,
				  struct task_sum *what)
{
	struct aggregation_key elsewhere = {.key = what->key, .cookie = cookie, .kind = SUM_DUE};
	struct aggregation_key late = {.key = what->key, .outcome = WORK_LOST};
	u32 verdict = task_sums_add(sums, d, cookie, what);

	if (verdict & SUM_ELSEWHERE)
		sums_enter_row(&elsewhere, what);
	if (verdict & SUM_LATE)
		sums_enter_row(&late, what);
	if (verdict & SUM_ORPHANED)
		sums_enter_orphans(st);
}
