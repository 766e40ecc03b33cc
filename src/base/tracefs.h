/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's trace events, by the names that ftrace and perf use: "sched:sched_switch". */
#pragma once
#include "base/vec.h"

#define TRACEFS_EVENT_BYTES 128

/* Return the folder where tracefs is mounted, also if its content is not accessible to us; or NULL. */
const char *tracefs_folder(void);

/*
 * Return the number of event @name for perf_event_open(), or a negative errno: -ENODEV (tracefs is not mounted),
 * -ENOENT (no such event), -EINVAL (not the name of an event), or why it cannot be read.
 */
int tracefs_event(const char *name);

/*
 * Read the description of event @name's fields and of how they are printed: *@len bytes and a 0 byte in *@ret, to be
 * freed with free().
 * Returns 0 or a negative errno as above.
 */
int tracefs_format(const char *name, char **ret, size_t *len);

/*
 * Read the definition of event @name, if it is one of kprobe_events or uprobe_events: "p:group/event /bin/sh:0x1234 a=%di",
 * without the newline, in *@ret, to be freed with free(). Returns 0, -ENOENT (it is none), or a negative errno as above.
 */
int tracefs_definition(const char *name, char **ret);

/* Event names, each freed with free(). */
struct tracefs_names vec(char *);
void tracefs_names_done(struct tracefs_names *n);

/*
 * Append to @ret the events that match @pattern, "group:event", where both parts may have the wildcards * and ?.
 * Returns how many were added, or a negative errno as above.
 */
int tracefs_expand(struct tracefs_names *ret, const char *pattern);
