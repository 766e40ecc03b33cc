/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options structs of the interface, which grow. Their first member is their size as the caller knew it when it was
 * built. A caller that knows fewer members gets the defaults (0) for the others; one that knows more must leave those
 * at 0.
 */
#pragma once
#include <dusk/dusk.h>

/*
 * Copy the options at @theirs (NULL: all defaults) to @ours of @bytes bytes, a struct that begins with size_t sz.
 * @what, the beginning of a sentence ("cannot record"), is for @err.
 * Returns 0, -EINVAL (sz is too small to be a size) or -E2BIG (a member that this library does not know is set).
 */
int options_take(void *ours, size_t bytes, const void *theirs, const char *what, struct dusk_error *err);
