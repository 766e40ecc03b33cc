/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read a stackmap that others fill: <dusk/stackmap.h>. */
#pragma once
#include <dusk/stackmap.h>
#include "lib/unwinder/live_symbols.h"
#include "lib/unwinder/service.h"

/* Make a reader of the stackmap of @s; @names has the names of its frames. Both are borrowed. */
int stackmap_reader_of(struct dusk_stackmap **ret, struct service *s, struct live_symbols *names);
