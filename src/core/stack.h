/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack: frames from the innermost outwards (abi/frame.h). */
#pragma once
#include "abi/config.h"
#include "core/env.h"

struct stack {
	u32 nr;
	/* working space of stacktable_put() */
	u32 written;
	u32 probes, full; /* slots looked at; there is no room for a new stack */
	u64 hash, place;
	u64 frame[MAX_DEPTH];
};
