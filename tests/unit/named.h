/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of what looks up the names of addresses. */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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
