/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a view needs of a profile, so that a server gives no more.
 *
 * A server leaves out samples that the filter would leave out anyhow, and does not tell apart what the view adds up. The filter is
 * applied to what comes, so all that must hold is that what it would select is there. Files have all, and many of them are reduced
 * to what is needed while they are read.
 */
#pragma once
#include "report/model/filter.h"
#include "report/model/group.h"

struct needs {
	const struct filter *filter; /* its selection and its kind, before kind_settle() */
	unsigned int keys;	     /* set of enum key: labels, comm, PID and time that it distinguishes */
	bool no_stacks;		     /* the view shows no functions */
	bool whole;		     /* it tells each sample, or thread, apart */
	bool left_out;		     /* it says how much the filter leaves out */
	uint32_t max_threads; /* of a store with more, it does not show each PID, though @keys has them; 0: it does */
};

#define NEEDS_WORDS 64 /* at most, for fetch of dusk-clickhouse, with a NULL behind them */

/* Say @n (NULL: all) in words for dusk-clickhouse, and set @ret to them. Free @text with free(). Returns STATUS_OK or STATUS_FAILED. */
int needs_say(const struct needs *n, char **text, const char *ret[NEEDS_WORDS]);

/* Set in @o what @n (NULL: all) does not tell apart in a profile of several, which have @span_ns. */
void needs_reduce(const struct needs *n, struct dusk_merge_options *o, uint64_t span_ns);
