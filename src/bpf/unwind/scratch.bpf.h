/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory for a kernel stack, where an interrupt may want some too. */
#pragma once
#include "bpf/common/maps.h"

/* A buffer until scratch_put(), in the same run of a program. NULL: too deep in interrupts. */
CORE struct stack *scratch_get(void);
CORE void scratch_put(void);
