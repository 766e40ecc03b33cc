/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A streaming JSON writer.
 *
 * It writes commas, indents by @indent spaces (0: everything on one line) and escapes strings. @key is the member's
 * name inside an object, and NULL elsewhere. Bytes that are not UTF-8 become U+FFFD. Errors are those of the stream:
 * see ferror().
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	int indent;
	int depth; /* objects and arrays that are open */
	bool followed;
};

void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);

void json_string(struct json *j, const char *key, const char *value); /* @value NULL writes null */
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_double(struct json *j, const char *key, double value); /* not finite: null */
