/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of callers that were built with an older or a newer libdusk. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/error.h"
#include "lib/options.h"

struct now {
	size_t sz;
	uint64_t first, second;
};

struct earlier {
	size_t sz;
	uint64_t first;
};

struct later {
	struct now known;
	uint64_t third;
};

static struct dusk_error err;

static int take(struct now *ret, const void *theirs)
{
	memset(ret, 0xaa, sizeof(*ret));
	return options_take(ret, sizeof(*ret), theirs, "cannot walk", &err);
}

static void without_options_all_are_defaults(void **state)
{
	struct now o;

	(void)state;
	assert_int_equal(take(&o, NULL), 0);
	assert_int_equal(o.sz, sizeof(o));
	assert_true(!o.first && !o.second);
}

static void an_earlier_caller_gets_defaults_of_what_it_does_not_know(void **state)
{
	struct earlier theirs = {sizeof(theirs), 7};
	struct now o;

	(void)state;
	assert_int_equal(take(&o, &theirs), 0);
	assert_int_equal(o.sz, sizeof(o));
	assert_int_equal(o.first, 7);
	assert_int_equal(o.second, 0);
}

static void a_later_caller_that_sets_nothing_new_is_accepted(void **state)
{
	struct later theirs = {{sizeof(theirs), 7, 8}, 0};
	struct now o;

	(void)state;
	assert_int_equal(take(&o, &theirs), 0);
	assert_int_equal(o.sz, sizeof(o));
	assert_true(o.first == 7 && o.second == 8);
}

static void a_later_caller_that_sets_a_new_option_is_refused(void **state)
{
	struct later theirs = {{sizeof(theirs), 7, 8}, 1ULL << 63};
	struct now o;

	(void)state;
	assert_int_equal(take(&o, &theirs), -E2BIG);
	assert_non_null(strstr(err.text, "cannot walk"));
	assert_non_null(strstr(err.text, "update libdusk"));
}

static void a_size_that_is_none_is_refused(void **state)
{
	struct now theirs = {0}, o;

	(void)state;
	assert_int_equal(take(&o, &theirs), -EINVAL);
	theirs.sz = sizeof(size_t) - 1;
	assert_int_equal(take(&o, &theirs), -EINVAL);
	assert_non_null(strstr(err.text, "sz"));
}

static void an_error_that_has_no_text_gets_one(void **state)
{
	struct dusk_error e = {""};

	(void)state;
	assert_int_equal(error_complete(&e, 0, "cannot walk"), 0);
	assert_string_equal(e.text, "");
	assert_int_equal(error_complete(&e, -ENOMEM, "cannot walk"), -ENOMEM);
	assert_string_equal(e.text, "cannot walk: Cannot allocate memory");
	assert_int_equal(error_complete(&e, -EPERM, "cannot run"), -EPERM);
	assert_string_equal(e.text, "cannot walk: Cannot allocate memory");
	assert_int_equal(error_complete(NULL, -EPERM, "cannot run"), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_all_are_defaults),
		cmocka_unit_test(an_earlier_caller_gets_defaults_of_what_it_does_not_know),
		cmocka_unit_test(a_later_caller_that_sets_nothing_new_is_accepted),
		cmocka_unit_test(a_later_caller_that_sets_a_new_option_is_refused),
		cmocka_unit_test(a_size_that_is_none_is_refused),
		cmocka_unit_test(an_error_that_has_no_text_gets_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
