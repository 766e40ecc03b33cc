/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile with names of any bytes, and numbers, through each exporter: it comes to an end, says something, and in
 * text there is no control character that a terminal would obey.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/folded_profile.h"
#include "export/export.h"

#define NAMES_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Eight bytes of the input from @at on, as far as there are. */
static uint64_t number(const uint8_t *data, size_t size, size_t at)
{
	uint64_t n = 0;

	for (size_t i = at; i < size && i < at + 8; i++)
		n = n << 8 | data[i];
	return n;
}

static void check(const struct export_format *format, const struct dusk_profile *p)
{
	struct export_options o = {.pid = true, .tid = true, .annotate = true, .methods = true};
	size_t bytes = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);

	assert(out && !format->write(out, p, &o) && !fclose(out));
	for (size_t i = 0; i < bytes && !format->binary; i++)
		assert((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct folded f;

	folded_init(&f);
	folded_from_bytes(&f, data, size, NAMES_MAX);
	for (uint64_t i = 0; i < f.profile.nr_samples; i++) {
		struct dusk_sample *s = &f.profile.samples[i];

		s->time_ns = number(data, size, i * 3);
		s->value_ns = number(data, size, i * 3 + 1) >> (i % 64);
		s->cpu = number(data, size, i * 3 + 2);
	}
	for (const struct export_format *format = export_formats; format->name; format++)
		check(format, &f.profile);
	folded_done(&f);
	return 0;
}
