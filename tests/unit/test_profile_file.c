/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the file what its owner can rely on, whatever happens to the writer, the reader or the disk? */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "profile_fixture.h"

static void the_file_is_private_and_alone(void **state)
{
	struct profile_writer *w;
	char name[80];
	struct stat st;

	(void)state;
	umask(0);
	w = created();
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_true(profile_bytes(w) >= (uint64_t)st.st_size && profile_bytes(w) > 4096);
	snprintf(name, sizeof(name), "%s-wal", path);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	close_finished(w);
	umask(022);
	assert_int_not_equal(stat(name, &st), 0);
	snprintf(name, sizeof(name), "%s-shm", path);
	assert_int_not_equal(stat(name, &st), 0);
	assert_string_equal(queried("pragma journal_mode"), "delete");
	assert_string_equal(queried("pragma integrity_check"), "ok");
}

static void the_files_belong_to_the_owner(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm"};
	struct profile_writer *w;
	char name[80];
	struct stat st;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(profile_create(&w, path, 12345, 54321, NULL), 0);
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		assert_int_equal(stat(name, &st), 0);
		assert_int_equal(st.st_uid, 12345);
		assert_int_equal(st.st_gid, 54321);
		assert_int_equal(st.st_mode & 0777, 0600);
	}
	close_finished(w);
}

static void what_was_there_is_replaced_but_only_a_file(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w, *second;
	struct dusk_error err;
	char link[80];
	struct stat st;

	(void)state;
	make_small();
	w = created();
	/* Two recordings into one file would destroy each other. */
	assert_int_equal(profile_create(&second, path, -1, -1, &err), -EBUSY);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_samples, 0);

	assert_int_equal(profile_create(&w, "/dev/null", -1, -1, &err), -EINVAL);
	assert_int_equal(profile_create(&w, dir, -1, -1, &err), -EISDIR);
	assert_int_equal(profile_create(&w, "/nowhere/at/all.dusk", -1, -1, &err), -ENOENT);
	assert_int_equal(stat("/dev/null", &st), 0);

	/* A link is replaced, not followed. */
	copy_file(copy, path, SIZE_MAX);
	snprintf(link, sizeof(link), "%s/link.dusk", dir);
	assert_int_equal(symlink(copy, link), 0);
	assert_int_equal(profile_create(&w, link, -1, -1, &err), 0);
	close_finished(w);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

static void it_is_read_while_it_is_written(void **state)
{
	struct profile_writer *w = created();
	struct dusk_profile *p;

	(void)state;
	for (int i = 1; i <= 3; i++) {
		write_small(w);
		assert_int_equal(profile_commit(w, NULL), 0);
		profile_sample(w, &(struct dusk_sample){.outcome = 1});
		p = opened(path);
		assert_int_equal(p->nr_samples, 4 * i + (i - 1));
		assert_false(p->finished);
		dusk_profile_free(p);
	}
	close_finished(w);
}

static void killed_it_loses_what_was_not_committed(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	int ready[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		struct profile_writer *w = NULL;

		if (profile_create(&w, path, -1, -1, NULL))
			_exit(1);
		for (int i = 0; i < 200000; i++) {
			write_small(w);
			if (i == 249 && (profile_commit(w, NULL) || write(ready[1], "x", 1) != 1))
				_exit(1);
		}
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	usleep(100000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	p = opened(path);
	assert_int_equal(p->nr_samples, 1000);
	assert_false(p->finished);
	assert_string_equal(queried("pragma integrity_check"), "ok");
}

static void a_full_disk_keeps_what_was_committed(void **state)
{
	struct profile_writer *w;
	struct dusk_error err = {0};
	struct dusk_profile *p = NULL;
	char mount_dir[80], file[100];
	uint64_t committed = 0;
	int rc;

	(void)state;
	if (geteuid() || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip();
	snprintf(mount_dir, sizeof(mount_dir), "%s/small", dir);
	snprintf(file, sizeof(file), "%s/p.dusk", mount_dir);
	mkdir(mount_dir, 0700);
	if (mount("tmpfs", mount_dir, "tmpfs", 0, "size=400k"))
		skip();
	assert_int_equal(profile_create(&w, file, -1, -1, NULL), 0);
	for (rc = 0; !rc; committed += rc ? 0 : 400) {
		for (int i = 0; i < 100; i++)
			write_small(w);
		rc = profile_commit(w, &err);
		assert_true(committed < 1000000);
	}
	assert_int_equal(rc, -ENOSPC);
	assert_non_null(strstr(err.text, "No space left on device"));
	/* It sticks, though there may be room again. */
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), -ENOSPC);
	assert_int_equal(profile_close(w, true, &err), -ENOSPC);
	rc = dusk_profile_read(&p, file, &err);
	if (rc)
		print_error("%s\n", err.text);
	assert_int_equal(rc, 0);
	assert_true(committed > 0);
	assert_int_equal(p->nr_samples, committed);
	assert_false(p->finished);
	dusk_profile_free(p);
	umount2(mount_dir, MNT_DETACH);
}

static void it_is_read_where_nothing_can_be_written(void **state)
{
	struct dusk_profile *p;
	int status;
	pid_t pid;

	(void)state;
	make_small();
	/* In WAL mode, but without a log: as after a recording that a reader watched to its end. */
	run_sql(path, "pragma journal_mode=wal");
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(dir, 0555), 0);
	pid = fork();
	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(2);
		if (dusk_profile_read(&p, path, NULL))
			_exit(1);
		_exit(p->nr_samples == 4 ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	chmod(dir, 0700);
	chmod(path, 0600);
	assert_int_equal(status, 0);
}

static void odd_names_are_no_uris(void **state)
{
	char odd[128];
	struct stat st;

	(void)state;
	make_small();
	snprintf(odd, sizeof(odd), "%s/a?mode=memory#b%%41.dusk", dir);
	copy_file(odd, path, SIZE_MAX);
	dusk_profile_free(opened(odd));
	assert_int_equal(stat(odd, &st), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_is_private_and_alone),
		cmocka_unit_test(the_files_belong_to_the_owner),
		cmocka_unit_test(what_was_there_is_replaced_but_only_a_file),
		cmocka_unit_test(it_is_read_while_it_is_written),
		cmocka_unit_test(killed_it_loses_what_was_not_committed),
		cmocka_unit_test(a_full_disk_keeps_what_was_committed),
		cmocka_unit_test(it_is_read_where_nothing_can_be_written),
		cmocka_unit_test(odd_names_are_no_uris),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
