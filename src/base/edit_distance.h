/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far is one name from another? */
#pragma once

#define EDIT_MAX_BYTES 32 /* of each name; what is beyond is not compared */

/* The number of insertions, deletions, replacements and swaps of neighbours that turn @b into @a. */
unsigned int edit_distance(const char *a, const char *b);
