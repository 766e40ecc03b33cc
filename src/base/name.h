/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long a name may be: of a function, a source file, a module, a thread, a host, or whatever else is read from files or
 * from the network. There are C++ functions with mangled names of some KiB; what is longer is made by nobody but to do harm.
 *
 * Readers cut what is longer, so that no text of a profile is larger than what readers of profiles accept.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define NAME_LIMIT_BYTES 4096 /* the longest name, without its final 0 byte */
#define NAME_MARK "..."	      /* the end of a name that was cut */

/*
 * Return the name to use for the @len bytes at @text: @text itself if they are no longer than NAME_LIMIT_BYTES; else @room, with
 * as many whole UTF-8 characters of them as fit before NAME_MARK. So @text must have a 0 byte behind it if it is that short.
 */
const char *name_limit_bytes(char room[static NAME_LIMIT_BYTES + 1], const char *text, size_t len);

/* The same for a text that ends with a 0 byte. It is read up to the limit only. */
const char *name_limit(char room[static NAME_LIMIT_BYTES + 1], const char *text);

/* Return whether @name is what name_limit() makes of a longer one. */
bool name_was_cut(const char *name);
