/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write the text that goes with an errno: what failed, on what, why, and what would help. */
#pragma once
#include <dusk/dusk.h>

/* Write the text to @err, which may be NULL, and return @code. A text that is too long is cut. */
__attribute__((format(printf, 3, 4))) int error_set(struct dusk_error *err, int code, const char *format, ...);

/*
 * Append "; " and what would help to the text of @err, and note where that begins. Returns @code.
 */
__attribute__((format(printf, 3, 4))) int error_remedy(struct dusk_error *err, int code, const char *format, ...);

/*
 * Give @err the text "@what: " and the meaning of @code, if @code is an error and @err has no text yet. An interface
 * function calls this last.
 * Returns @code, which is 0 or a negative errno.
 */
int error_complete(struct dusk_error *err, int code, const char *what);
