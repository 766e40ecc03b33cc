/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the agent names profiles: in the order in which they are recorded, also when the clock is set back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "cli/agent_compact.h"

#define AT_3 1795575600 /* 2026-11-25T03:00:00Z */

/* What the agent's store needs of the command. */
void say(const char *format, ...)
{
}

void compact_recover(const char *store)
{
}

static char store[64];

static int make_store(void **state)
{
	strcpy(store, "/tmp/test_agent_store_XXXXXX");
	return mkdtemp(store) ? 0 : -1;
}

static int remove_store(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", store);
	return system(command);
}

/* Begin a profile at @start_s; the name is the result. */
static const char *begin(time_t start_s)
{
	static char path[256];
	FILE *f;

	agent_profile_path(path, sizeof(path), store, start_s, NULL);
	f = fopen(path, "wx");
	assert_non_null(f);
	fclose(f);
	return path + strlen(store) + 1;
}

static void a_profile_is_called_after_its_time(void **state)
{
	assert_string_equal(begin(AT_3), "20261125T030000Z.dusk");
	assert_string_equal(begin(AT_3 + 3600), "20261125T040000Z.dusk");
}

static void when_the_clock_is_set_back_names_go_on(void **state)
{
	char last[64], path[128];

	assert_string_equal(begin(AT_3), "20261125T030000Z.dusk");
	assert_string_equal(begin(AT_3 - 3600), "20261125T030000Z_002.dusk");
	assert_string_equal(begin(AT_3), "20261125T030000Z_003.dusk");
	for (int i = 4; i < 1100; i++) {
		strcpy(last, begin(AT_3 - 60));
		assert_true(strcmp(begin(AT_3 - 60), last) > 0);
	}
	/* So it is while the newest one is still being recorded. */
	snprintf(path, sizeof(path), "%s/20261125T050000Z.dusk.recording", store);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_string_equal(begin(AT_3 + 3600), "20261125T050000Z_002.dusk");
	assert_string_equal(begin(AT_3 + 3 * 3600), "20261125T060000Z.dusk");
}

static void two_that_begin_in_one_second_have_names_of_their_own(void **state)
{
	char first[128], second[128];

	begin(AT_3 - 1);
	agent_profile_path(first, sizeof(first), store, AT_3, NULL);
	agent_profile_path(second, sizeof(second), store, AT_3, first);
	assert_string_equal(first + strlen(store), "/20261125T030000Z.dusk");
	assert_string_equal(second + strlen(store), "/20261125T030000Z_002.dusk");
	agent_profile_path(second, sizeof(second), store, AT_3 + 1, first);
	assert_string_equal(second + strlen(store), "/20261125T030001Z.dusk");
	begin(AT_3 + 2);
	agent_profile_path(second, sizeof(second), store, AT_3 + 2, first);
	assert_string_equal(second + strlen(store), "/20261125T030002Z_002.dusk");
}

static void all_are_listed_in_that_order_and_nothing_else_is(void **state)
{
	_cleanup_(agent_profiles_done) struct agent_profiles p = {.v = {0}};
	static const char *const others[] = {"mine.dusk", "20261125T030000Z_x.dusk", "20261125T030000Z.dusk.old",
					     ".sent-1"};
	char path[128];

	begin(AT_3);
	for (int i = 0; i < 11; i++)
		begin(AT_3 - 60 * i);
	begin(AT_3 + 1);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", store, others[i]);
		fclose(fopen(path, "w"));
	}
	assert_int_equal(agent_list_profiles(&p, store), 0);
	assert_int_equal(p.v.nr, 13);
	assert_string_equal(p.v.v[0].name, "20261125T030000Z.dusk");
	assert_string_equal(p.v.v[11].name, "20261125T030000Z_012.dusk");
	assert_int_equal(p.v.v[11].start_s, AT_3);
	assert_string_equal(p.v.v[12].name, "20261125T030001Z.dusk");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_profile_is_called_after_its_time, make_store, remove_store),
		cmocka_unit_test_setup_teardown(when_the_clock_is_set_back_names_go_on, make_store, remove_store),
		cmocka_unit_test_setup_teardown(two_that_begin_in_one_second_have_names_of_their_own, make_store,
						remove_store),
		cmocka_unit_test_setup_teardown(all_are_listed_in_that_order_and_nothing_else_is, make_store,
						remove_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
