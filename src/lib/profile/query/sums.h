/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Windows for SQL: their rows, in a view. */
#pragma once
#include "lib/profile/file/open.h"

/*
 * If the profile has windows, make the temporary view `sums` of their rows, which doc/format.md describes. It is in memory, and
 * of this connection. Returns 0 or a negative errno, with the reason in the file's error.
 */
int query_add_sums(const struct profile_file *f);
