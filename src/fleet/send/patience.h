/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long something is waited for once a signal has said that we are to end: for a second, in which most answers come. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/clock.h"

#define PATIENCE_AFTER_STOP_S 1

struct patience {
	const volatile sig_atomic_t *stop; /* NULL: nothing ends us */
	double until_s;			   /* by now_s(); 0: it was not set yet */
};

static inline bool patience_is_over(struct patience *p)
{
	if (!p->stop || !*p->stop)
		return false;
	if (!p->until_s)
		p->until_s = now_s() + PATIENCE_AFTER_STOP_S;
	return now_s() >= p->until_s;
}
