/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name the frames of stacks of programs that run on this machine, or ran just now. */
#pragma once
#include <dusk/stackmap.h>
#include "lib/unwinder/live_symbols.h"

/* Fill in the names of @s. @names belongs to the service that gave @s its module numbers. Returns 0 or -ENOMEM. */
int livenames_give(struct dusk_stacks *s, struct live_symbols *names);
