/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of any bytes, one after the other, in the page of the flame graph: they stay data, whole characters, and
 * short.
 */
#include <assert.h>
#include <ctype.h>

#include "../unit/flame_reader.h"
#include "../unit/folded_profile.h"

#define NAMES_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct flame_reader *r, uint64_t samples)
{
	for (size_t i = 0; i < r->text_bytes; i++)
		assert(isalnum(r->text[i]) || strchr("+/=\n", r->text[i]));
	assert(reader_number(r, "select max(length(value)) from page, json_each(page.json, '$.names')") <= 1001);
	assert((uint64_t)reader_number(r, "select sum(value) from number where name = '0.samples'") == samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flame_reader r;
	struct folded f;

	folded_init(&f);
	folded_from_bytes(&f, data, size, NAMES_MAX);
	if (f.profile.nr_samples) {
		struct flame_page page = {f.kept[0], 1, {&f.profile}, {f.kept[0]}};

		assert(!reader_open(&r, &page));
		check(&r, f.profile.nr_samples);
		reader_close(&r);
	}
	folded_done(&f);
	return 0;
}
