/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Expand patterns of tracefs events. */
#pragma once
#include <stdint.h>
#include "base/tracefs.h"
#include "cli/cmdline/command.h"

/* Add the events that match @pattern, such as "sched:*", to @ret. Returns STATUS_OK, or a status after an error. */
int events_choose(struct tracefs_names *ret, const char *pattern);

/*
 * Take @word of the option -e of @self: add its DUSK_RECORD_ flag to *@sources, or the events of tracefs that it names to @names. Returns
 * STATUS_OK, or a status after an error.
 */
int events_take(const struct command *self, const char *word, uint32_t *sources, struct tracefs_names *names);
