/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of what looks up the names of addresses. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "lib/process/code_lives.h"

/* What was found, and where it begins, is @name at @start; NULL: nothing. */
static inline void expect_named(const char *found, uint64_t found_start, const char *name, uint64_t start)
{
	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_true(found_start == start);
}

/* At @time_ns it is that by @loads, which are freed. */
static inline void expect_loaded(struct code_loads *loads, uint64_t time_ns, const char *name, uint64_t start)
{
	struct code_lives lives = {0};
	const struct code_life *l;

	assert_int_equal(code_lives_find(&lives, loads), 0);
	l = code_lives_at(&lives, time_ns, time_ns);
	expect_named(l ? l->name : NULL, l ? l->start : 0, name, start);
	vec_done(&lives);
	vec_done(loads);
}
