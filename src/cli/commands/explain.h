/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk doctor --walk: explain the walk of one stack, frame by frame. */
#pragma once
#include <stdbool.h>

/*
 * Walk the thread with the number @what, or the specimen at the path @what, and print each frame to stdout. @keep: path
 * to write a specimen to, or NULL. Returns the exit status.
 */
int walk_explain(const char *what, const char *keep, bool json);
