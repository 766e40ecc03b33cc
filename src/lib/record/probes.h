/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probes of a recording: events that it makes in tracefs, and removes at its end. Their group names their process, by its
 * number and its start: so what was left by one that was killed is found, and removed by the next.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/tracefs.h"

struct probes;

/* Free *@ret with probes_free(), which removes the events. Returns 0 or -ENOMEM. */
int probes_new(struct probes **ret);
void probes_free(struct probes *p);

/*
 * Make the probes of @word (probe_word.h), of which a pattern of functions may have many. Append their events to @events, and to
 * @shown what they are to be called. Returns 0, or a negative errno with the reason in @err.
 */
int probes_add(struct probes *p, const char *word, struct tracefs_names *events, struct tracefs_names *shown,
	       struct dusk_error *err);

/* Remove the events of processes that are gone. */
void probes_sweep(void);
