/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A filter of events by their fields, as tracefs and perf take it: "dev == 8 && (bytes > 4096 || comm ~ \"post*\")".
 *
 * It becomes comparisons, each with what follows if it holds and if it does not.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_STEPS 16
#define FILTER_NAME_BYTES 64
#define FILTER_TEXT_BYTES 32
enum { FILTER_REJECT = FILTER_STEPS, FILTER_ACCEPT }; /* as what follows */

enum filter_compare { FILTER_EQUAL, FILTER_LESS, FILTER_GREATER, FILTER_BITS };

struct tracefs_comparison {
	char field[FILTER_NAME_BYTES];
	enum filter_compare compare;
	bool is_text, is_prefix; /* only the beginning of the text is compared */
	uint64_t number;
	char text[FILTER_TEXT_BYTES];
	uint8_t yes, no; /* the step that follows, or FILTER_ACCEPT, FILTER_REJECT */
	size_t at;	 /* where it is in the filter */
};

struct tracefs_filter {
	uint32_t nr;
	struct tracefs_comparison step[FILTER_STEPS];
};

/*
 * Parse @text. Returns 0; or -EINVAL: at byte *@at of it is what *@why says.
 */
int tracefs_filter_parse(struct tracefs_filter *ret, const char *text, size_t *at, const char **why);
