/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of a profile that are packed, as tables for queries. */
#pragma once
#include "lib/profile/file/open.h"

/*
 * Make the tables of @f of which rows are packed again, with all of them, and the views, as temporary ones: these go
 * before those of the file. Returns 0 or a negative errno, with the reason in @f->err.
 */
int query_unpack(const struct profile_file *f);
