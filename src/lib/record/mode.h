/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A mode: a way to get samples with stacks. record.c does what all modes have in common: the profile and its settings,
 * titles, names. A mode is one file with one table of operations, and one row of modes[] in record.c.
 *
 * The operations take what new() has made. Those that return int return 0 or a negative errno.
 */
#pragma once
#include <dusk/dusk.h>
#include "lib/record/join.h"

struct mode {
	const char *name;
	uint32_t hz;	    /* by default */
	bool knows_cgroups; /* it gives each thread's; else processes are asked */

	/*
	 * Prepare everything but the profile, which is made last: a recording that cannot start leaves none behind.
	 * @stops_before: *o->stops before the recording; when it is another one, end with -EINTR, at the latest before
	 * what takes long. On failure *@ret is NULL, or what is to be freed.
	 */
	int (*new)(void **ret, struct join *j, const struct dusk_record_options *o, int stops_before,
		   struct dusk_error *err);
	/* The writer and the modules of @j are there now: make the rest of it. */
	int (*furnish)(void *mode);
	/* Write the settings that only this mode has. */
	void (*settings)(const void *mode);
	/*
	 * Begin to sample. What takes long, and need not be recorded, is done first; then start_ns of the join is set, with
	 * join_begin().
	 */
	int (*start)(void *mode, struct dusk_error *err);
	/* Take in what comes in @timeout_ms, which may end early. -EINTR and -EAGAIN are no failures. */
	int (*poll)(void *mode, int timeout_ms);
	/* About once a second, before a commit; NULL: there is nothing to do. */
	int (*follow)(void *mode, uint64_t now_ns, struct dusk_error *err);
	/* Write the counters as they are now, by profile_count(): at the end of each window, and of the recording. */
	void (*count)(void *mode);
	/* End: set *@stop_ns, and take in what is pending. */
	int (*stop)(void *mode, uint64_t *stop_ns, struct dusk_error *err);
	/* Fill in what was lost, and what is the mode's own; the rest is zero. */
	void (*status)(const void *mode, struct dusk_record_status *ret);
	/* As dusk_record_stuck(); NULL: no walk waits. */
	size_t (*stuck)(const void *mode, uint64_t age_ns, pid_t *ret, size_t max);
	/* As dusk_record_event(). */
	const char *(*event)(const void *mode);
	/* After the profile is closed. */
	void (*free)(void *mode);
};

extern const struct mode mode_full, mode_copied, mode_ptrace;

/* The rate that @o asks for. */
static inline uint32_t mode_hz(const struct mode *m, const struct dusk_record_options *o)
{
	return o->frequency_hz ? o->frequency_hz : m->hz;
}

/* Return -EINTR if we were asked to stop, as long as nothing has been recorded; else 0. */
int mode_go_on(const struct dusk_record_options *o, int stops_before, struct dusk_error *err);
