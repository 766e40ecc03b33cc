/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/walk/read_log.h"

static INLINE u64 as_it_is(u64 word, u64 base)
{
	return word;
}

GLOBAL int read_log_holds(struct read_log *r NONNULL, struct stack_snapshot *now NONNULL)
{
	return read_log_compare(r, now, as_it_is, 0);
}
