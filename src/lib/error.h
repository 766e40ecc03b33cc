/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What failed, on what, why, and what would help: the text beside an errno. */
#pragma once
#include <dusk/dusk.h>

/* Fill @err, which may be NULL, and return @code. A text that is too long is cut. */
__attribute__((format(printf, 3, 4))) int error_set(struct dusk_error *err, int code, const char *format, ...);

/*
 * The last thing that a function of the interface does about @err: if what failed below has given it no text, it gets
 * "@what: " and the meaning of @code. Returns @code, which is 0 or a negative errno.
 */
int error_complete(struct dusk_error *err, int code, const char *what);
