/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Regular expressions that end.
 *
 * A few characters can ask for more work than a machine has: libc writes what is repeated so many times, and that again if it is in
 * a group that is repeated, and a reference to what has matched makes it try all ways. So an expression has a size, which is
 * bounded, and refers to nothing.
 */
#pragma once
#include <regex.h>
#include <stddef.h>

#define EXPRESSION_BYTES 4096
#define EXPRESSION_SIZE 1000 /* characters and sets of characters, with what is repeated written out */

/*
 * Compile a POSIX extended regular expression, for whether it matches. Free @ret with regfree(). Returns 0; -EINVAL, with the reason in
 * @text; or -ENOMEM, likewise.
 */
int expression_compile(regex_t *ret, const char *regex, char *text, size_t size);
