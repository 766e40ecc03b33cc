/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is this text? */
#pragma once
#include <stddef.h>

/*
 * Bytes of the UTF-8 character at @s (RFC 3629) that is no control character below the blank, or 0. A 0 byte is no
 * continuation: it is never passed.
 */
size_t utf8_bytes(const unsigned char *s);
