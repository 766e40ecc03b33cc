/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is left of a profile made by hand when a filter has looked at it? After cmocka.h. */
#pragma once
#include <stdio.h>
#include "export/export.h"
#include "folded_profile.h"
#include "report/model/filter.h"

/* What @filter leaves of @f, folded by @by, is @want. */
static inline void filter_leaves(struct folded *f, const struct filter *filter, enum measure by, const char *want)
{
	struct export_options o = {.by = by};
	struct filtered seen = {0};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(filtered_init(&seen, &f->profile, filter), 0);
	assert_int_equal(folded_write(out, &seen.profile, &o), 0);
	filtered_done(&seen);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}
