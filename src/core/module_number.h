/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of modules: each is given once, by whichever walker, and none beyond the last. */
#pragma once
#include "core/atomic.h"
#include "core/module.h"

/* Return the number behind those that have been @given, by all walkers together; 0: there is none any more. */
static INLINE u32 module_number(u32 *given)
{
	u32 id = 0;

	if (load_relaxed(given) < MAX_MODULE_ID)
		id = fetch_add(given, 1) + 1;
	return id <= MAX_MODULE_ID ? id : 0; /* other CPUs took the last ones */
}
