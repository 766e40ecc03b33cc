/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which visit to the kernel the current task is in, and what has become of the request for its stack there.
 *
 * The kernel's own deferral keeps both in the task: a cookie for a visit, and a word with a bit for each of its tracers. All
 * of that is cleared on each way to user mode, if any bit is set (linux 7.2 include/linux/unwind_deferred.h,
 * unwind_reset_info()), and nowhere else. So what is noted there holds for this visit and no other, and the cookie is
 * the same for tracers of the kernel's and for ours.
 */
#pragma once
#include <linux/types.h>

enum visit_state {
	VISIT_NEW,	/* no request */
	VISIT_PENDING,	/* one, whose walk is still to come or goes on */
	VISIT_EXECUTED, /* its walk is over */
};

/* Any context, constant time. */
enum visit_state visit_state(void);

/* Note a request, unless there is one. Returns the state before: for VISIT_NEW the caller has to see to the walk. */
enum visit_state visit_request(void);

/* There is no request after all. */
void visit_withdraw(void);

/* The cookie of this visit, which has a request. Not 0; the same until user mode, and then never again for 2^31 visits of a CPU. */
u64 visit_cookie(void);

/* Note that the walk for @cookie is over, if this still is its visit. */
void visit_executed(u64 cookie);
