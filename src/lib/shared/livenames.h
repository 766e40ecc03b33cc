/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What are the frames of stacks called whose programs run, or ran just now, on this machine? */
#pragma once
#include <dusk/stackmap.h>
#include "lib/shared/live_symbols.h"

/* Give @s, of the service whose names @names knows, its names. 0 or -ENOMEM. */
int livenames_give(struct dusk_stacks *s, struct live_symbols *names);
