/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recognize UTF-8 characters. */
#pragma once
#include <stddef.h>

/*
 * Return the length in bytes of the UTF-8 character at @s (RFC 3629), or 0 if there is none or it is a control
 * character below 0x20. It never reads past the end of a string, as the final 0 is no continuation byte.
 */
size_t utf8_bytes(const unsigned char *s);

/*
 * The same of a character that is safe on a terminal: no control character, C1 and DEL included, nor one that changes the direction of
 * the text.
 */
size_t utf8_printable(const unsigned char *s);

/* Make each byte of @text that is not of such a character a "?". Returns @text. */
char *utf8_make_printable(char *text);
