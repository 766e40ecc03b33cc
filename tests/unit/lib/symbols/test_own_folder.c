/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a folder trusted only if no other user could have put it there? */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <dusk/dusk.h>
#include "lib/symbols/own_folder.h"

#define STRANGER 65534

static char dir[] = "/tmp/own-folder.XXXXXX";

static int make_dir(void **state)
{
	return !mkdtemp(dir) || chdir(dir);
}

static int remove_dir(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command);
}

/* 0 or why not. */
static int try(const char *path, bool make)
{
	char whole[128];
	int fd;

	snprintf(whole, sizeof(whole), "%s/%s", dir, path);
	fd = own_folder_open(whole, make);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void folders_are_made_if_that_is_wanted(void **state)
{
	struct stat st;

	assert_int_equal(try("a/b", false), -ENOENT);
	assert_int_equal(try("a/b", true), 0);
	assert_int_equal(try("a/b", false), 0);
	assert_int_equal(try("a//b/", false), 0);
	assert_int_equal(own_folder_open("", false) < 0, false);
	assert_int_equal(stat("a/b", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(try("x/y/z", true), -ENOENT);
	assert_int_equal(access("x", F_OK), -1);
	close(creat("file", 0600));
	assert_int_equal(try("file", true), -ENOTDIR);
	assert_int_equal(try("file/b", true), -ENOTDIR);
}

static void the_last_one_is_ours_alone(void **state)
{
	assert_int_equal(mkdir("last", 0700), 0);
	assert_int_equal(chmod("last", 0770), 0);
	assert_int_equal(try("last", false), -EPERM);
	assert_int_equal(chmod("last", 0755), 0);
	assert_int_equal(try("last", false), 0);
	assert_int_equal(symlink("last", "link"), 0);
	assert_int_equal(try("link", false), -ELOOP);
	if (geteuid())
		skip();
	assert_int_equal(chown("last", STRANGER, STRANGER), 0);
	assert_int_equal(try("last", false), -EPERM);
}

static void what_all_may_write_to_leads_nowhere(void **state)
{
	assert_int_equal(mkdir("open", 0700), 0);
	assert_int_equal(mkdir("open/ours", 0700), 0);
	assert_int_equal(chmod("open", 0777), 0);
	assert_int_equal(try("open/ours", false), -EPERM);
	assert_int_equal(try("open/new", true), -EPERM);
	assert_int_equal(access("open/new", F_OK), -1);
	assert_int_equal(chmod("open", 01777), 0); /* as /tmp: none can be taken away */
	assert_int_equal(try("open/ours", false), 0);
}

static void links_are_followed_if_they_are_ours(void **state)
{
	assert_int_equal(mkdir("real", 0700), 0);
	assert_int_equal(mkdir("real/ours", 0700), 0);
	assert_int_equal(symlink("real", "way"), 0);
	assert_int_equal(try("way/ours", false), 0);
	if (geteuid())
		skip();
	assert_int_equal(lchown("way", STRANGER, STRANGER), 0);
	assert_int_equal(try("way/ours", false), -EPERM);
	assert_int_equal(try("way/new", true), -EPERM);
	assert_int_equal(access("real/new", F_OK), -1);
}

static void a_home_of_somebody_else_has_no_cache_of_ours(void **state)
{
	char home[64], cache[128];

	if (geteuid())
		skip();
	snprintf(home, sizeof(home), "%s/home", dir);
	assert_int_equal(mkdir(home, 0755), 0);
	setenv("HOME", home, 1);
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(dusk_cache_folder(cache, sizeof(cache)), 0);
	assert_int_equal(try("home/.cache/dusk", true), 0);
	assert_int_equal(chown(home, STRANGER, STRANGER), 0);
	assert_int_equal(dusk_cache_folder(cache, sizeof(cache)), -EPERM);
	assert_int_equal(try("home/.cache/dusk", true), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_are_made_if_that_is_wanted),
		cmocka_unit_test(the_last_one_is_ours_alone),
		cmocka_unit_test(what_all_may_write_to_leads_nowhere),
		cmocka_unit_test(links_are_followed_if_they_are_ours),
		cmocka_unit_test(a_home_of_somebody_else_has_no_cache_of_ours),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
