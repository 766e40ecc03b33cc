/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Expand patterns of tracefs events. */
#pragma once
#include "base/tracefs.h"

/* Add the events that match @pattern, such as "sched:*", to @ret. Returns STATUS_OK, or a status after an error. */
int events_choose(struct tracefs_names *ret, const char *pattern);
