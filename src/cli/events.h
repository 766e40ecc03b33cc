/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which events of tracefs does the user mean? */
#pragma once
#include "base/tracefs.h"

/* Add those that @pattern means to @ret, "sched:*". STATUS_OK; or another status, and all is said. */
int events_choose(struct tracefs_names *ret, const char *pattern);
