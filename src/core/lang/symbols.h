/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Look up dynamic symbols of a module in the target's memory, by DT_GNU_HASH. */
#pragma once
#include "core/lang.h"

/*
 * Read where the module that is mapped at @bias has its symbols. @dynamic: the address of its dynamic section. Returns 0;
 * -ENOENT: it has no such table; -EFAULT or -EACCES.
 */
GLOBAL int symbols_open(struct symbols *s NONNULL, u64 dynamic, u64 bias);

/* Find symbol @which, an enum lang_symbol, to s->found; 0: the module has none of this name. Returns 0, -EFAULT or -EACCES. */
GLOBAL int symbols_find(struct symbols *s NONNULL, u32 which);
