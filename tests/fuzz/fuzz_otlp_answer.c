/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whatever a receiver of OTLP answers is an answer. The input: a byte that says over what, and a status; then the text of its headers, three
 * lines, and what is behind these.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "fleet/otlp/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct answer *a)
{
	assert(a->verdict <= VERDICT_LATER && a->patience_s <= 3600 && a->rejected <= INT64_MAX);
	assert(memchr(a->text, 0, sizeof(a->text)));
	for (const char *c = a->text; *c; c++)
		assert((uint8_t)*c >= 0x20 && *c != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *at = text;
	const char *line[3] = {"", "", ""};
	uint8_t *body;
	struct answer a;
	size_t len;

	assert(text);
	memcpy(text, data, size);
	text[size] = 0;
	for (size_t i = 0; i < 3 && at; i++) {
		char *end = memchr(at, '\n', text + size - at);

		line[i] = at;
		at = end ? end + 1 : NULL;
		if (end)
			*end = 0;
	}
	len = at ? text + size - at : 0;
	body = malloc(len + !len); /* so that a read beyond it is seen */
	assert(body);
	if (len)
		memcpy(body, at, len);
	answer_http(&a, strtol(line[0], NULL, 10), strtoll(line[1], NULL, 10), body, len);
	check(&a);
	answer_grpc(&a, line[0], line[1], line[2], body, len);
	check(&a);
	free(body);
	free(text);
	return 0;
}
