/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where does a walk of the current task begin? */
#pragma once
#include "walking.h"

/* The registers with which it came into the kernel, to @ret. 0, or the outcome (abi/outcome.h): why it has none. */
u32 registers_of_entry(struct entry_registers *ret);
