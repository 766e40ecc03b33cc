/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Eight bytes of code as a word. */
#pragma once
#include "core/env.h"

#define WORD(a, b, c, d, e, f, g, h)                                                                    \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | (u64)(f) << 40 | \
	 (u64)(g) << 48 | (u64)(h) << 56)
