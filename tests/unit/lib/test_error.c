/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of an error, and which part of it is the remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include "lib/error.h"

static void a_remedy_can_be_told_from_its_cause(void **state)
{
	struct dusk_error err = {""};

	assert_int_equal(error_set(&err, -EPERM, "cannot %s", "fly"), -EPERM);
	assert_int_equal(err.remedy, 0);
	assert_int_equal(error_remedy(&err, -EPERM, "grow %d wings", 2), -EPERM);
	assert_string_equal(err.text, "cannot fly; grow 2 wings");
	assert_int_equal(err.remedy, strlen("cannot fly"));
	error_set(&err, -EPERM, "cannot; swim");
	assert_int_equal(err.remedy, 0);
}

static void a_text_that_is_too_long_is_cut(void **state)
{
	struct dusk_error err;
	char many[sizeof(err.text) * 2];

	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = 0;
	error_set(&err, -EIO, "%.*s", (int)sizeof(err.text) - 10, many);
	error_remedy(&err, -EIO, "%s", many);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(err.remedy, sizeof(err.text) - 10);
	error_set(&err, -EIO, "%s", many);
	error_remedy(&err, -EIO, "no room");
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(err.remedy, 0);
}

static void without_a_place_for_it_only_the_number_is_returned(void **state)
{
	assert_int_equal(error_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(error_remedy(NULL, -EIO, "x"), -EIO);
	assert_int_equal(error_complete(NULL, -EIO, "x"), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_remedy_can_be_told_from_its_cause),
		cmocka_unit_test(a_text_that_is_too_long_is_cut),
		cmocka_unit_test(without_a_place_for_it_only_the_number_is_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
