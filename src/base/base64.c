/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Base64. See base64.h. */
#include "base/base64.h"
#include <string.h>

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? at - digits : -1;
}

size_t base64_decode(uint8_t *ret, size_t room, const char *text)
{
	uint32_t bits = 0, nr_bits = 0;
	size_t nr = 0;

	for (; digit(*text) >= 0 && nr < room; text++) {
		bits = bits << 6 | digit(*text);
		nr_bits += 6;
		if (nr_bits >= 8) {
			nr_bits -= 8;
			ret[nr++] = bits >> nr_bits;
		}
	}
	return nr;
}
