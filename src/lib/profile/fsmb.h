/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks in a file, in memory. */
#pragma once
#include <dusk/stackmap.h>

/* As dusk_stacks_read(), of what was at @path. Takes @bytes, aligned to 8, also on failure. */
int fsmb_parse(struct dusk_stacks **ret, char *bytes, size_t len, const char *path, struct dusk_error *err);
