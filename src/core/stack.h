/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack: frames from the innermost outwards (abi/frame.h). */
#pragma once
#include "abi/config.h"
#include "core/env.h"

struct stack {
	u32 nr;
	u32 written; /* like @hash: working space of stacktable_put() */
	u64 hash;
	u64 frame[MAX_DEPTH];
};
