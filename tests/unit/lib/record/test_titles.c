/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the processes of a profile get their titles? */
#include <stdlib.h>
#include "lib/process/title.h"
#include "lib/record/titles.h"
#include "profile_fixture.h"
#include "titled_process.h"

static void processes_of_one_name_are_told_apart_by_their_titles(void **state)
{
	struct titled_process a = titled_process("postgres: alice", "1"), b = titled_process("postgres: bob", "2");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	profile_thread(w, a.pid, a.pid, "postgres");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	profile_thread(w, b.pid, b.pid, "postgres");
	profile_thread(w, a.pid, a.pid + 100000, "helper");
	profile_thread(w, 0, 0, "swapper");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "postgres: alice -c read x && exec $0 1");
	assert_string_equal(p->threads[1].title, "postgres: bob -c read x && exec $0 2");
	assert_string_equal(p->threads[2].title, "postgres: alice -c read x && exec $0 1");
	assert_string_equal(p->threads[3].title, "");
	assert_string_equal(queried("select count(*) from title"), "2");
	titled_process_end(&a);
	titled_process_end(&b);
}

static void a_process_that_has_ended_keeps_its_title(void **state)
{
	struct titled_process a = titled_process("short", "1");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	profile_thread(w, a.pid, a.pid, "sh");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	titled_process_end(&a);
	assert_int_equal(titles_look_again(&t, w, NULL, false), 0);
	assert_int_equal(titles_look_again(&t, w, NULL, true), 0);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "short -c read x && exec $0 1");
}

/* Servers set their titles when they begin to work. */
static void a_title_that_has_changed_is_read_again(void **state)
{
	struct titled_process a = titled_process("before", "cat");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct process_title now[1] = {{.title = "before"}};
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	profile_thread(w, a.pid, a.pid, "sh");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(write(a.to, "\n", 1), 1);
	while (strcmp(now[0].title, "cat")) /* in the middle of execve() it is "" */
		assert_int_equal(titles_read(&t.child, &a.pid, 1, false, now), 0);
	assert_int_equal(titles_look_again(&t, w, NULL, false), 0);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "cat");
	titled_process_end(&a);
}

static void a_new_program_of_a_process_is_asked_anew(void **state)
{
	struct titled_process a = titled_process("second", "1");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};
	pid_t child;

	(void)state;
	profile_thread(w, a.pid, a.pid, "make");
	profile_process(w, 0, &(struct profile_process){.title = "make all"});
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	child = t.child.pid;
	profile_thread(w, a.pid, a.pid, "sh");
	profile_process(w, 0, &(struct profile_process){.title = "make all"});
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(titles_look_again(&t, w, NULL, true), 0);
	assert_int_equal(t.child.pid, child); /* one for all */
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "make all");
	assert_string_equal(p->threads[1].title, "second -c read x && exec $0 1");
	titled_process_end(&a);
}

static void the_work_for_many_processes_is_bounded(void **state)
{
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	for (pid_t pid = 10000000; pid < 10000000 + TITLED_MAX + 100; pid++)
		profile_thread(w, pid, pid, "x");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(t.titled.nr, TITLED_MAX);
	assert_int_equal(t.read, TITLES_A_LOOK);
	assert_int_equal(t.refused, 100);
	titles_done(&t);
	close_finished(w);
}

static void processes_that_are_gone_make_room_for_others(void **state)
{
	struct titled_process a = titled_process("late", "1");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	for (pid_t pid = 10000000; pid < 10000000 + TITLED_MAX; pid++)
		profile_thread(w, pid, pid, "x");
	for (int i = 0; i < TITLED_MAX; i += TITLES_A_LOOK)
		assert_int_equal(titles_follow(&t, w, NULL), 0);
	profile_thread(w, a.pid, a.pid, "sh");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(t.refused, 0);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[TITLED_MAX].title, "late -c read x && exec $0 1");
	titled_process_end(&a);
}

/* As if 9,999 processes of a user had been there: there is a title for one more, and then for those of others. */
static void one_users_processes_take_no_others_titles(void **state)
{
	struct titled_process a[3] = {titled_process("first", "1"), titled_process("second", "1"),
				      titled_process("third", "1")};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	uint32_t had = TITLES_MAX / 2 - 1;
	struct profile_writer *w = created();
	struct titles t = {.alive.nr = had};
	bool fresh;

	(void)state;
	*map_at(&t.alive.of_user, getuid(), &fresh) = had;
	for (int i = 0; i < 2; i++)
		profile_thread(w, a[i].pid, a[i].pid, "sh");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(titles_look_again(&t, w, NULL, true), 0);
	assert_int_equal(t.refused, 1);
	*map_at(&t.alive.of_user, getuid(), &fresh) = 0; /* now it is another's */
	profile_thread(w, a[2].pid, a[2].pid, "sh");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(t.refused, 1);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "first -c read x && exec $0 1");
	assert_string_equal(p->threads[1].title, "");
	assert_string_equal(p->threads[2].title, "third -c read x && exec $0 1");
	for (int i = 0; i < 3; i++)
		titled_process_end(&a[i]);
}

/* While a recorder takes too much CPU time, titles wait: of those that live they are read later, and all are counted. */
static void processes_that_have_to_wait_are_counted(void **state)
{
	struct titled_process a[2] = {titled_process("lives", "1"), titled_process("ends", "1")};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {.held = true};

	(void)state;
	for (int i = 0; i < 2; i++)
		profile_thread(w, a[i].pid, a[i].pid, "sh");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(titles_look_again(&t, w, NULL, false), 0);
	assert_int_equal(titles_late(&t), 2);
	titled_process_end(&a[1]);
	t.held = false;
	for (int i = 0; i < 2; i++)
		assert_int_equal(titles_follow(&t, w, NULL), 0);
	assert_int_equal(titles_late(&t), 2);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "lives -c read x && exec $0 1");
	assert_string_equal(p->threads[1].title, "");
	titled_process_end(&a[0]);
}

#define GONE 10000000 /* no such process */

static void begin(struct titles *t, struct profile_writer *w, pid_t pid, const char *comm, const char *arguments,
		  size_t bytes, bool executed)
{
	struct process_begun b = {pid, 1000, executed, comm, arguments, bytes};

	assert_int_equal(titles_begun(t, w, &b), 0);
}

#define BEGIN(t, w, pid, comm, arguments, executed) begin(t, w, pid, comm, arguments, sizeof(arguments), executed)

/* Forked by make, then a shell that executes another shell script, and then ls: gone before anybody looks. */
static void titles__of_ended_processes_are_their_arguments(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	BEGIN(&t, w, GONE, "make", "make\0all", false);
	profile_thread(w, GONE, GONE, "make");
	BEGIN(&t, w, GONE, "sh", "sh\0-c\0./x", true);
	profile_thread(w, GONE, GONE, "sh");
	BEGIN(&t, w, GONE, "sh", "/bin/sh\0./x", true);
	BEGIN(&t, w, GONE, "ls", "ls\0a b", true);
	BEGIN(&t, w, GONE + 1, "make", "make\0other", false);
	profile_thread(w, GONE, GONE, "ls");
	profile_thread(w, GONE, GONE + 5, "helper");
	profile_thread(w, GONE + 2, GONE + 2, "unknown");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(titles_follow(&t, w, NULL), 0);
		assert_int_equal(titles_look_again(&t, w, NULL, i == 2), 0);
	}
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "make all");
	assert_string_equal(p->threads[1].title, "/bin/sh ./x");
	assert_string_equal(p->threads[2].title, "ls a b");
	assert_string_equal(p->threads[3].title, "ls a b");
	assert_string_equal(p->threads[4].title, "");
}

static void titles__of_live_processes_replace_arguments(void **state)
{
	struct titled_process a = titled_process("server: ready", "1");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	BEGIN(&t, w, a.pid, "starter", "starter", false);
	profile_thread(w, a.pid, a.pid, "starter");
	BEGIN(&t, w, a.pid, "server", "server\0-d", true);
	profile_thread(w, a.pid, a.pid, "server");
	assert_int_equal(titles_follow(&t, w, NULL), 0);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[0].title, "starter"); /* what runs now is not asked for what ran before */
	assert_string_equal(p->threads[1].title, "server: ready -c read x && exec $0 1");
	titled_process_end(&a);
}

/* They have a share of their own, and what ends without a title for that is counted. */
static void titles__of_arguments_leave_room_for_live_processes(void **state)
{
	struct titled_process a = titled_process("live", "1");
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct titles t = {0};

	(void)state;
	for (pid_t pid = GONE; pid < GONE + TITLES_MAX / 2 + 3; pid++) {
		BEGIN(&t, w, pid, "x", "x", true);
		profile_thread(w, pid, pid, "x");
	}
	profile_thread(w, a.pid, a.pid, "sh");
	assert_int_equal(t.begun.nr, TITLES_MAX / 2);
	for (int i = 0; i < TITLES_MAX; i += TITLES_A_LOOK) {
		assert_int_equal(titles_follow(&t, w, NULL), 0);
		assert_int_equal(titles_look_again(&t, w, NULL, false), 0);
	}
	assert_int_equal(t.refused, 3);
	titles_done(&t);
	close_finished(w);
	p = opened(path);
	assert_string_equal(p->threads[TITLES_MAX / 2 + 3].title, "live -c read x && exec $0 1");
	titled_process_end(&a);
}

/* In two halves, as they come, they make the title that all of them make. */
static void titles__of_long_arguments_keep_both_ends(void **state)
{
	char all[4000], halves[256], title[2][TITLE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = i % 7 ? 'a' + i % 23 : 0;
	memcpy(halves, all, sizeof(halves) / 2);
	memcpy(halves + sizeof(halves) / 2, all + sizeof(all) - sizeof(halves) / 2, sizeof(halves) / 2);
	title_of(title[0], all, sizeof(all));
	title_of(title[1], halves, sizeof(halves));
	assert_string_equal(title[0], title[1]);
	assert_int_equal(strlen(title[0]), TITLE_BYTES - 1);
}

static void a_title_of_a_thread_that_does_not_exist_is_damage(void **state)
{
	struct dusk_profile *p = NULL;
	struct dusk_error err = {0};

	(void)state;
	make_small();
	run_sql(path, "create table title(thread integer primary key, text, service, version); insert into title "
		      "values(2, 'x', null, null)");
	assert_int_equal(dusk_profile_read(&p, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "title"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_of_one_name_are_told_apart_by_their_titles),
		cmocka_unit_test(a_process_that_has_ended_keeps_its_title),
		cmocka_unit_test(a_title_that_has_changed_is_read_again),
		cmocka_unit_test(a_new_program_of_a_process_is_asked_anew),
		cmocka_unit_test(the_work_for_many_processes_is_bounded),
		cmocka_unit_test(processes_that_are_gone_make_room_for_others),
		cmocka_unit_test(one_users_processes_take_no_others_titles),
		cmocka_unit_test(processes_that_have_to_wait_are_counted),
		cmocka_unit_test(titles__of_ended_processes_are_their_arguments),
		cmocka_unit_test(titles__of_live_processes_replace_arguments),
		cmocka_unit_test(titles__of_arguments_leave_room_for_live_processes),
		cmocka_unit_test(titles__of_long_arguments_keep_both_ends),
		cmocka_unit_test(a_title_of_a_thread_that_does_not_exist_is_damage),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
