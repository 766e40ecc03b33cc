/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For how long is something watched? Until a command ends, or all that is watched, or for a time; or we are asked to
 * stop.
 */
#pragma once
#include "cli/child.h"
#include "cli/options.h"

#define SPAN_POLL_MS 100

struct span {
	double start_s;
	uint64_t duration_ns;		       /* 0: for ever */
	struct child *child;		       /* NULL: there is no command */
	const struct number_list *pids, *tids; /* none of either: the whole machine; NULL: as none */
};

/* Is it over? */
bool span_is_over(const struct span *s);

/* How long to wait before it is asked again. */
int span_wait_ms(const struct span *s);
