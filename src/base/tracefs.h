/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which events does the kernel's tracer have, by the names that ftrace and perf give them: "sched:sched_switch"? */
#pragma once
#include "base/vec.h"

#define TRACEFS_EVENT_BYTES 128

/* Where tracefs is mounted: its folder, also if we may not look into it, which is found then; or NULL. */
const char *tracefs_folder(void);

/*
 * The number that perf_event_open() knows event @name by. -ENODEV: tracefs is not mounted; -ENOENT: there is no such
 * event; -EINVAL: that is no name of one; else why it cannot be read.
 */
int tracefs_event(const char *name);

/*
 * The file that says what fields event @name has, and how they are printed: *@ret, to be freed with free(), 0 and *@len
 * bytes; or a negative errno as above.
 */
int tracefs_format(const char *name, char **ret, size_t *len);

/* Names, each to be freed. */
struct tracefs_names vec(char *);
void tracefs_names_done(struct tracefs_names *n);

/*
 * Add the events that @pattern means to @ret, as "group:event": in both parts * and ? are wildcards. How many were
 * added, or a negative errno as above.
 */
int tracefs_expand(struct tracefs_names *ret, const char *pattern);
