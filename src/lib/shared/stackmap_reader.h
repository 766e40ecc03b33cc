/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stackmap that others fill, for who reads it: <dusk/stackmap.h>. */
#pragma once
#include <dusk/stackmap.h>
#include "lib/shared/live_symbols.h"
#include "lib/shared/service.h"

/* The one of @s, whose frames @names knows: both are borrowed. */
int stackmap_reader_of(struct dusk_stackmap **ret, struct service *s, struct live_symbols *names);
