/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long dusk record and dusk trace run: until the command or all targets end, for a duration, or until a request to
 * stop.
 */
#pragma once
#include "cli/cmdline/child.h"
#include "cli/cmdline/options.h"

#define SPAN_POLL_MS 100

struct span {
	double start_s;
	uint64_t duration_ns;		       /* 0: unlimited */
	struct child *child;		       /* NULL: there is no command */
	const struct number_list *pids, *tids; /* the targets; both empty or NULL: the whole machine */
};

/* Is it over? */
bool span_is_over(const struct span *s);

/* Milliseconds to wait before the next call of span_is_over(). */
int span_wait_ms(const struct span *s);
