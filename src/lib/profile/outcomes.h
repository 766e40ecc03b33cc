/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of abi/outcome.h, for readers of profiles. */
#pragma once
#include <dusk/dusk.h>
#include "abi/outcome.h"

extern const struct dusk_outcome outcomes[NR_OUTCOMES];

/* The names that profiles use for the classes of outcomes, by enum dusk_outcome_class. */
extern const char *const outcome_classes[DUSK_ABSENT + 1];
