/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Comparing what somebody says with what is right, in a time that does not tell how much of it is. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Is @said, of @len bytes, the text @right? */
static inline bool secret_is(const char *right, const char *said, size_t len)
{
	size_t right_len = strlen(right);
	unsigned char differs = len != right_len;

	for (size_t i = 0; i < len; i++)
		differs |= said[i] ^ right[i < right_len ? i : 0];
	return !differs;
}
