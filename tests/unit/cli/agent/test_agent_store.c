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
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/agent/compact.h"
#include "cli/cmdline/sent.h"

#define AT_3 1795575600 /* 2026-11-25T03:00:00Z */

/* What the agent's store needs of the command. */
void say(const char *format, ...)
{
}

pid_t agent_start_child(const char *const *words, const char *folder, int death_signal)
{
	return -ENOSYS;
}

void sent_first_open(char *ret, size_t room, const char *store, time_t oldest_s)
{
	*ret = 0;
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

/* Make a file, or a folder, of that name in the store, and return its path. */
static const char *made(const char *name, bool folder)
{
	static char path[4][256];
	static int next;
	char *at = path[next++ % 4];

	snprintf(at, sizeof(path[0]), "%s/%s", store, name);
	if (folder)
		assert_int_equal(mkdir(at, 0700), 0);
	else
		assert_int_equal(close(open(at, O_CREAT | O_EXCL | O_WRONLY, 0600)), 0);
	return at;
}

static bool is_there(const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", store, name);
	return !lstat(path, &st);
}

/* Who may write to a store could choose what is removed. */
static void only_a_store_of_our_own_is_taken(void **state)
{
	static const mode_t wrong[] = {0770, 0707, 01777};
	int taken = -1;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(chmod(store, wrong[i]), 0);
		assert_int_not_equal(agent_take_store(store, &taken), 0);
		assert_int_equal(taken, -1);
	}
	assert_int_equal(chmod(store, 0755), 0);
	if (!geteuid()) {
		assert_int_equal(chown(store, 65534, 65534), 0);
		assert_int_not_equal(agent_take_store(store, &taken), 0);
		assert_int_equal(chown(store, 0, 0), 0);
	}
	assert_int_equal(agent_take_store(store, &taken), 0);
	close(taken);
}

#define REST "20200104T010000Z-20200104T020000Z.merging"

/* Nothing is removed but what an agent has left, by names that it gives, and never behind a link. */
static void what_is_not_of_an_agent_stays(void **state)
{
	static const char *const victims[] = {"victim/profile", "victim/a"},
				 *const odd[] = {
					 "x.merging.recording/profile",
					 ".merging.recording/profile",
					 "20200104T010000Z.merging.recording/profile",
					 REST "x.recording/profile",
					 REST ".recording.recording/profile",
				 };
	char folder[128];

	made("victim", true);
	for (size_t i = 0; i < 2; i++)
		made(victims[i], false);
	snprintf(folder, sizeof(folder), "%s/" REST ".recording", store);
	assert_int_equal(symlink("victim", folder), 0);
	snprintf(folder, sizeof(folder), "%s/x.merging", store);
	assert_int_equal(symlink("victim/a", folder), 0);
	snprintf(folder, sizeof(folder), "%s/20200105T010000Z-20200105T020000Z.merging", store);
	assert_int_equal(symlink("victim/a", folder), 0);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		snprintf(folder, sizeof(folder), "%.*s", (int)strcspn(odd[i], "/"), odd[i]);
		made(folder, true);
		made(odd[i], false);
	}
	compact_recover(store);
	for (size_t i = 0; i < 2; i++)
		assert_true(is_there(victims[i]));
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_true(is_there(odd[i]));
	assert_true(is_there("20200105T010000Z-20200105T020000Z.merging"));
	assert_false(is_there("20200105T010000Z.dusk"));
}

static void of_an_agents_rest_its_own_files_go(void **state)
{
	made(REST ".recording", true);
	made(REST ".recording/profile", false);
	made(REST ".recording/profile-wal", false);
	compact_recover(store);
	assert_false(is_there(REST ".recording"));
	made(REST ".recording", true);
	made(REST ".recording/profile", false);
	made(REST ".recording/somebody's", false);
	compact_recover(store);
	assert_false(is_there(REST ".recording/profile"));
	assert_true(is_there(REST ".recording/somebody's"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_profile_is_called_after_its_time, make_store, remove_store),
		cmocka_unit_test_setup_teardown(when_the_clock_is_set_back_names_go_on, make_store, remove_store),
		cmocka_unit_test_setup_teardown(two_that_begin_in_one_second_have_names_of_their_own, make_store,
						remove_store),
		cmocka_unit_test_setup_teardown(only_a_store_of_our_own_is_taken, make_store, remove_store),
		cmocka_unit_test_setup_teardown(what_is_not_of_an_agent_stays, make_store, remove_store),
		cmocka_unit_test_setup_teardown(of_an_agents_rest_its_own_files_go, make_store, remove_store),
		cmocka_unit_test_setup_teardown(all_are_listed_in_that_order_and_nothing_else_is, make_store,
						remove_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
