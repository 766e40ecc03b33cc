/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recognize UTF-8 characters. */
#pragma once
#include <stddef.h>

/*
 * Return the length in bytes of the UTF-8 character at @s (RFC 3629), or 0 if there is none or it is a control
 * character below 0x20. It never reads past the end of a string, as the final 0 is no continuation byte.
 */
size_t utf8_bytes(const unsigned char *s);
