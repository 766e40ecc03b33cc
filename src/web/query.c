/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parameters of an address. See query.h. */
#include "web/query.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memstream.h"

static void put(FILE *out, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";

	for (; *text; text++)
		if (strchr(plain, *text))
			putc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
}

char *query_of(const struct asked *v, size_t nr)
{
	char *text = NULL, before = '?';
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		putc(before, out);
		put(out, v[i].name);
		putc('=', out);
		put(out, v[i].value);
		before = '&';
	}
	if (!memstream_end(out, 0))
		return text;
	free(text);
	return NULL;
}
