/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ends of names. */
#pragma once
#include <stdbool.h>
#include <string.h>

/* Does @text end with @suffix, and is there something before it? */
static inline bool has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), suffix_len = strlen(suffix);

	return len > suffix_len && !strcmp(text + len - suffix_len, suffix);
}
