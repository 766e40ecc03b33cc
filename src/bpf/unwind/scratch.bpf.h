/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Per-CPU buffers for a kernel stack. They nest, as an interrupt may need one, too. */
#pragma once
#include "bpf/common/maps.h"

/* Take a buffer until scratch_put(), in the same run of a program. NULL: interrupts are nested too deep. */
CORE struct stack *scratch_get(void);
CORE void scratch_put(void);
