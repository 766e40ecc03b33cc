/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk doctor --walk: the walk of one stack, explained frame by frame. */
#pragma once
#include <stdbool.h>

/*
 * Walk thread @what, a number, or the specimen that is at this path, and write what was found to stdout. @keep: where
 * to write a specimen, or NULL. Returns the exit status.
 */
int walk_explain(const char *what, const char *keep, bool json);
