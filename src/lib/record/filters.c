/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/filters.h"
#include <errno.h>
#include <string.h>
#include "base/tracefs_filter.h"
#include "lib/error.h"

_Static_assert(FILTER_STEPS == MAX_COMPARISONS && (int)FILTER_REJECT == FILTER_REJECTS &&
		       (int)FILTER_ACCEPT == FILTER_ACCEPTS,
	       "the ends of a filter");
_Static_assert(FILTER_TEXT_BYTES == COMPARED_WORDS * sizeof(u64), "texts in filters");

/* A text is compared with the 0 byte at its end, but for the beginning of one. */
static void set_text(struct comparison *c, const struct tracefs_comparison *from)
{
	size_t bytes = strlen(from->text) + !from->is_prefix;

	memcpy(c->text, from->text, sizeof(c->text));
	memset(c->mask, 0xff, bytes < sizeof(c->mask) ? bytes : sizeof(c->mask));
}

static const char *set(struct comparison *c, const struct tracefs_comparison *from, const struct field_place *place)
{
	static const u8 kinds[] = {[FILTER_EQUAL] = COMPARE_EQUAL,
				   [FILTER_LESS] = COMPARE_LESS,
				   [FILTER_GREATER] = COMPARE_GREATER,
				   [FILTER_BITS] = COMPARE_BITS};

	*c = (struct comparison){
		.kind = kinds[from->compare], .yes = from->yes, .no = from->no, .number = from->number};
	c->at = place->offset | (place->is_relative ? DYNAMIC_RELATIVE : 0);
	if (from->is_text != place->is_text)
		return place->is_text ? "is a text, which is compared with one in quotation marks"
				      : "is a number, not a text";
	c->is_dynamic = place->is_dynamic;
	if (from->is_text)
		set_text(c, from);
	else if (place->bytes != 1 && place->bytes != 2 && place->bytes != 4 && place->bytes != 8)
		return "is neither a number nor a text";
	else
		c->bytes = place->bytes;
	c->is_signed = place->is_signed;
	return NULL;
}

int filters_compile(struct event_filter *ret, const char *text, const struct fields *f, uint32_t number,
		    const char *name, struct dusk_error *err)
{
	struct event_filter filter = {0};
	struct tracefs_filter parsed;
	struct field_place place;
	const char *why;
	size_t at;

	if (tracefs_filter_parse(&parsed, text, &at, &why))
		return error_set(err, -EINVAL, "filter '%s': at '%s': %s", text, text + at, why);
	for (uint32_t i = 0; i < parsed.nr; i++) {
		const struct tracefs_comparison *c = &parsed.step[i];

		if (fields_place(f, number, c->field, &place))
			return error_set(err, -EINVAL,
					 "filter '%s': %s has no field %s; 'dusk list %s' shows its fields", text, name,
					 c->field, name);
		why = set(&filter.comparison[i], c, &place);
		if (why)
			return error_set(err, -EINVAL, "filter '%s': field %s of %s %s", text, c->field, name, why);
	}
	filter.nr = parsed.nr;
	*ret = filter;
	return 0;
}
