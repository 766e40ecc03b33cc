/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The arrays of a struct dusk_profile while they grow, for whatever makes one. */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"

/* X(the type of an element without "dusk_", the name of the array) */
#define PROFILE_COLUMNS(X)             \
	X(module, modules)             \
	X(function, functions)         \
	X(frame, frames)               \
	X(line, lines)                 \
	X(node, nodes)                 \
	X(cgroup, cgroups)             \
	X(thread, threads)             \
	X(sample, samples)             \
	X(event, events)               \
	X(occurrence, occurrences)     \
	X(thread_times, thread_times)  \
	X(waker, wakers)               \
	X(outcome, outcomes)           \
	X(counter, counters)           \
	X(window_count, window_counts) \
	X(setting, settings)

/* Members of a struct: PROFILE_COLUMNS(PROFILE_COLUMN_MEMBER) */
#define PROFILE_COLUMN_MEMBER(type, name) struct vec(struct dusk_##type) name;

/* Move the columns of *@from to the profile *@p. */
#define profile_columns_move(p, from)                   \
	do {                                            \
		__typeof__(p) columns_to = (p);         \
		__typeof__(from) columns_from = (from); \
		PROFILE_COLUMNS(PROFILE_COLUMN_MOVE)    \
	} while (0)
#define PROFILE_COLUMN_MOVE(type, name)                \
	columns_to->nr_##name = columns_from->name.nr; \
	columns_to->name = vec_steal(&columns_from->name);

/* Free the columns of *@of. */
#define profile_columns_done(of)                     \
	do {                                         \
		__typeof__(of) columns_of = (of);    \
		PROFILE_COLUMNS(PROFILE_COLUMN_DONE) \
	} while (0)
#define PROFILE_COLUMN_DONE(type, name) vec_done(&columns_of->name);
