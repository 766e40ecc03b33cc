/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/profile/counters.h"

const struct counter_row counters[NR_COUNTERS] = {
#define X(code, name, sentence) [COUNT_##code] = {name, sentence},
	COUNTERS(X)
#undef X
};
