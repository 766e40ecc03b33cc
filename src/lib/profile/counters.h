/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of abi/counter.h, for readers of profiles. */
#pragma once
#include "abi/counter.h"

struct counter_row {
	const char *name, *sentence;
};

extern const struct counter_row counters[NR_COUNTERS];
