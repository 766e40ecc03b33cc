/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A streaming JSON writer. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

static void write_string(FILE *out, const char *text)
{
	static const char named[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const unsigned char *s = (const unsigned char *)text;

	putc('"', out);
	while (*s) {
		const char *n = strchr(named, *s);
		size_t bytes = utf8_bytes(s);

		if (n) {
			fprintf(out, "\\%c", letter[n - named]);
			s++;
		} else if (bytes && *s != 0x7f && !(*s == 0xc2 && s[1] < 0xa0)) {
			fwrite(s, 1, bytes, out);
			s += bytes;
		} else {
			/* Control characters of ASCII and C1, which are the second byte; what is no UTF-8. */
			fprintf(out, "\\u%04x", bytes ? s[bytes - 1] : *s < 0x20 ? *s : 0xfffd);
			s += bytes ? bytes : 1;
		}
	}
	putc('"', out);
}

static void begin_line(struct json *j)
{
	if (j->indent)
		fprintf(j->out, "\n%*s", j->indent * j->depth, "");
}

static void begin_value(struct json *j, const char *key)
{
	if (j->followed)
		putc(',', j->out);
	if (j->depth)
		begin_line(j);
	j->followed = true;
	if (!key)
		return;
	write_string(j->out, key);
	fputs(j->indent ? ": " : ":", j->out);
}

static void open_bracket(struct json *j, const char *key, char bracket)
{
	begin_value(j, key);
	putc(bracket, j->out);
	j->depth++;
	j->followed = false;
}

static void close_bracket(struct json *j, char bracket)
{
	j->depth--;
	if (j->followed)
		begin_line(j);
	putc(bracket, j->out);
	j->followed = true;
}

void json_object(struct json *j, const char *key)
{
	open_bracket(j, key, '{');
}

void json_object_end(struct json *j)
{
	close_bracket(j, '}');
}

void json_array(struct json *j, const char *key)
{
	open_bracket(j, key, '[');
}

void json_array_end(struct json *j)
{
	close_bracket(j, ']');
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin_value(j, key);
	if (value)
		write_string(j->out, value);
	else
		fputs("null", j->out);
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}

/* JSON has a point as its decimal separator, whatever the locale is. */
void json_double(struct json *j, const char *key, double value)
{
	const char *point = localeconv()->decimal_point;
	char text[32], *p;

	begin_value(j, key);
	if (!isfinite(value)) {
		fputs("null", j->out);
		return;
	}
	snprintf(text, sizeof(text), "%.10g", value);
	p = strstr(text, point);
	if (p && strcmp(point, ".")) {
		memmove(p + 1, p + strlen(point), strlen(p + strlen(point)) + 1);
		*p = '.';
	}
	fputs(text, j->out);
}
