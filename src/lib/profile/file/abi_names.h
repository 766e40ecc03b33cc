/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names and sentences of the tables in abi/, for readers of profiles. */
#pragma once
#include <dusk/dusk.h>
#include "abi/counter.h"
#include "abi/outcome.h"

struct counter_row {
	const char *name, *sentence;
};

extern const struct counter_row counters[NR_COUNTERS];
extern const struct dusk_outcome outcomes[NR_OUTCOMES];

/* The names that profiles use for the classes of outcomes, by enum dusk_outcome_class. */
extern const char *const outcome_classes[DUSK_ABSENT + 1];
