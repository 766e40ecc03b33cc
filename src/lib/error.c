/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write the text that goes with an errno: what failed, on what, why, and what would help. Names and answers of servers in it are
 * anybody's: it is safe on a terminal.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "lib/error.h"

int error_set(struct dusk_error *err, int code, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		utf8_make_printable(err->text);
		err->remedy = 0;
		va_end(args);
	}
	return code;
}

int error_remedy(struct dusk_error *err, int code, const char *format, ...)
{
	size_t used = err ? strlen(err->text) : 0;
	va_list args;

	if (err && used + 2 < sizeof(err->text)) {
		memcpy(err->text + used, "; ", 3);
		va_start(args, format);
		vsnprintf(err->text + used + 2, sizeof(err->text) - used - 2, format, args);
		utf8_make_printable(err->text + used + 2);
		va_end(args);
		err->remedy = used;
	}
	return code;
}

int error_complete(struct dusk_error *err, int code, const char *what)
{
	return code && err && !*err->text ? error_set(err, code, "%s: %s", what, strerror(-code)) : code;
}
