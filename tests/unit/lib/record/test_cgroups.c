/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the threads of a profile get their cgroups, and containers their names? */
#include <stdlib.h>
#include <sys/stat.h>
#include "lib/record/cgroups.h"
#include "profile_fixture.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void a_cgroup_is_written_when_a_thread_is_in_it(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct cgroups c = {.root = dir};
	uint32_t cron;

	(void)state;
	assert_int_equal(cgroups_learn(&c, 1, ""), 0);
	assert_int_equal(cgroups_learn(&c, 7, "/system.slice/cron.service"), 0);
	assert_int_equal(cgroups_learn(&c, 8, "/system.slice/ssh.service"), 0);
	assert_int_equal(cgroups_number(&c, w, 9), 0);
	assert_int_equal(cgroups_number(&c, w, 0), 0);
	cron = cgroups_number(&c, w, 7);
	assert_int_equal(cron, 1);
	assert_int_equal(cgroups_number(&c, w, 7), cron);
	assert_int_equal(profile_thread_in(w, cron, 5, 5, "cron"), 0);
	assert_int_equal(profile_thread_in(w, cgroups_number(&c, w, 1), 5, 5, "cron"), 1);
	assert_int_equal(profile_thread(w, 5, 5, "cron"), 2);
	assert_int_equal(profile_thread_in(w, cron, 5, 5, "cron"), 0);
	cgroups_done(&c);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_cgroups, 3);
	assert_string_equal(p->cgroups[p->threads[0].cgroup].path, "/system.slice/cron.service");
	assert_string_equal(p->cgroups[p->threads[0].cgroup].unit, "cron.service");
	assert_string_equal(p->cgroups[p->threads[1].cgroup].path, "/");
	assert_string_equal(p->cgroups[p->threads[2].cgroup].path, "");
	assert_string_equal(
		queried("select group_concat(service, ' ') from (select service from labels order by thread)"),
		"cron.service cron cron");
}

static void a_container_is_named_later_than_it_begins(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct cgroups c = {.root = dir};
	char command[512];

	(void)state;
	assert_int_equal(cgroups_learn(&c, 7, "/docker/" ID), 0);
	profile_thread_in(w, cgroups_number(&c, w, 7), 5, 5, "nginx");
	cgroups_name(&c, w);
	snprintf(command, sizeof(command),
		 "mkdir -p %s/var/lib/docker/containers/" ID
		 " && echo '{\"Name\":\"/web\"}' >%s/var/lib/docker/containers/" ID "/config.v2.json",
		 dir, dir);
	assert_int_equal(system(command), 0);
	cgroups_name(&c, w);
	cgroups_done(&c);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_cgroups, 2);
	assert_string_equal(p->cgroups[1].container, ID);
	assert_string_equal(p->cgroups[1].container_name, "web");
	assert_string_equal(queried("select service from labels"), "web");
}

/* The number of a cgroup is the inode of its folder: that holds for the folders of any file system. */
static void folders_are_read_with_their_numbers(void **state)
{
	struct profile_writer *w = created();
	struct cgroups c = {.root = dir};
	char name[128];
	struct stat st;

	(void)state;
	snprintf(name, sizeof(name), "mkdir -p %s/tree/a.slice/b.service && touch %s/tree/a.slice/c.service", dir, dir);
	assert_int_equal(system(name), 0);
	snprintf(name, sizeof(name), "%s/tree", dir);
	assert_int_equal(cgroups_scan_folder(&c, name), 0);
	assert_int_equal(c.known.nr, 3);
	snprintf(name, sizeof(name), "%s/tree/a.slice/b.service", dir);
	assert_int_equal(stat(name, &st), 0);
	assert_true(cgroups_number(&c, w, st.st_ino));
	assert_string_equal(c.known.v[2].path, "/a.slice/b.service");
	cgroups_done(&c);
	close_finished(w);
}

static void paths_are_bounded(void **state)
{
	struct cgroups c = {.root = dir};
	char name[1000];

	(void)state;
	for (uint64_t id = 1; id <= CGROUPS_MAX + 5; id++) {
		snprintf(name, sizeof(name), "/%lu", (unsigned long)id);
		assert_int_equal(cgroups_learn(&c, id, name), 0);
	}
	assert_int_equal(c.known.nr, CGROUPS_MAX);
	assert_int_equal(c.refused, 5);
	cgroups_done(&c);
	c = (struct cgroups){.root = dir};
	memset(name, 'x', sizeof(name) - 1);
	for (uint64_t id = 1; id <= CGROUPS_MAX; id++) {
		snprintf(name + 900, 99, "%lu", (unsigned long)id);
		assert_int_equal(cgroups_learn(&c, id, name), 0);
	}
	assert_in_range(c.paths_bytes, PATHS_MAX_BYTES, PATHS_MAX_BYTES + 1000);
	assert_true(c.refused);
	cgroups_done(&c);
}

static bool chosen;

static int choose(void *ctx, uint64_t id, const struct dusk_cgroup *c)
{
	chosen = !strcmp(c->container_name, "late");
	return chosen;
}

static void a_container_is_chosen_when_it_has_got_its_name(void **state)
{
	struct profile_writer *w = created();
	struct cgroups c = {.root = dir, .choose = choose};
	char command[512];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s/var", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(cgroups_learn(&c, 7, "/docker/" ID), 0);
	assert_int_equal(cgroups_learn(&c, 8, "/other"), 0);
	assert_int_equal(c.later.nr, 1);
	cgroups_name(&c, w);
	assert_false(chosen);
	snprintf(command, sizeof(command),
		 "mkdir -p %s/var/lib/docker/containers/" ID
		 " && echo '{\"Name\":\"/late\"}' >%s/var/lib/docker/containers/" ID "/config.v2.json",
		 dir, dir);
	assert_int_equal(system(command), 0);
	cgroups_name(&c, w);
	assert_true(chosen);
	assert_int_equal(c.later.nr, 0);
	cgroups_done(&c);
	close_finished(w);
}

static void a_cgroup_that_is_not_in_the_profile_is_damage(void **state)
{
	struct dusk_profile *p = NULL;
	struct dusk_error err = {0};

	(void)state;
	make_small();
	run_sql(path, "update thread set cgroup = 1");
	assert_int_equal(dusk_profile_read(&p, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "thread"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_is_written_when_a_thread_is_in_it),
		cmocka_unit_test(a_container_is_named_later_than_it_begins),
		cmocka_unit_test(folders_are_read_with_their_numbers),
		cmocka_unit_test(paths_are_bounded),
		cmocka_unit_test(a_container_is_chosen_when_it_has_got_its_name),
		cmocka_unit_test(a_cgroup_that_is_not_in_the_profile_is_damage),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
