/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parse the file format for stacks, FSMB, in memory. */
#pragma once
#include <dusk/stackmap.h>

/*
 * Like dusk_stacks_read(), for the content of the file @path. Takes ownership of @bytes, aligned to 8, also on failure.
 */
int fsmb_parse(struct dusk_stacks **ret, char *bytes, size_t len, const char *path, struct dusk_error *err);
