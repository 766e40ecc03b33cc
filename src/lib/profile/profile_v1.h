/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in which format 1 of the profile differs from profile_schema.h. Nothing else differs. */
#pragma once
#include <stddef.h>
#include <string.h>

struct v1_name {
	const char *now, *then;
};

/* Tables, with the columns that are read from them; counters. */
static const struct v1_name v1_tables[] = {{"offcpu", "absence"}, {"thread_times", "life"}, {}};
static const struct v1_name v1_columns[] = {{"offcpu,thread,node,outcome,kind", "absence,thread,node,outcome,kind"},
					    {"id,thread,start,end,on_cpu,runnable,blocked,intervals",
					     "id,thread,start,end,on_cpu,runnable,blocked,absences"},
					    {}};
static const struct v1_name v1_counters[] = {{"offcpu-intervals", "absences"},
					     {"offcpu-sampled-out", "absences-sampled-out"},
					     {"lost-offcpu", "lost-absences"},
					     {"cached", "known"},
					     {"walked-nofault", "warm"},
					     {"kernel-cached", "kernel-known"},
					     {}};

/* Return the name of @name in format 1. */
static inline const char *v1_then(const struct v1_name *names, const char *name)
{
	for (; names->now; names++)
		if (!strcmp(names->now, name))
			return names->then;
	return name;
}

/* Return the present name of @name, which is from a profile of format 1. */
static inline const char *v1_now(const struct v1_name *names, const char *name)
{
	for (; names->now; names++)
		if (!strcmp(names->then, name))
			return names->now;
	return name;
}
