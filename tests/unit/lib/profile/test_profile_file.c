/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the file what its owner can rely on, whatever happens to the writer, the reader or the disk? */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "profile_fixture.h"

/* @name beside the profile, or in it. */
static const char *beside(const char *suffix)
{
	static char names[4][128];
	static int next;
	char *name = names[next++ % 4];

	snprintf(name, sizeof(names[0]), "%s%s", path, suffix);
	return name;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return lstat(name, &st) ? 0 : st.st_mode;
}

/* The names in the folder, in one number: that nothing came and nothing went. */
static unsigned long names_in(const char *folder)
{
	DIR *d = opendir(folder);
	unsigned long sum = 0;
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d))) {
		unsigned long hash = 5381;

		for (const char *c = e->d_name; *c; c++)
			hash = hash * 33 + *c;
		sum += hash;
	}
	closedir(d);
	return sum;
}

/* Nothing is left of earlier tests. */
static int fresh(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s; mkdir -m 700 %s", dir, dir);
	return system(command);
}

/* A recorder that is killed after a commit of 1000 samples. */
static void leave_killed(void)
{
	int ready[2];
	char byte;
	pid_t pid;

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
}

static void holds(const char *name, uint64_t samples, bool finished)
{
	struct dusk_profile *p = opened(name);

	assert_int_equal(p->nr_samples, samples);
	assert_int_equal(p->finished, finished);
	assert_false(p->live);
	dusk_profile_free(p);
}

static void nobody_else_may_reach_it_until_it_is_whole_and_then_it_is_one_file(void **state)
{
	struct profile_writer *w;

	umask(0);
	w = created();
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(mode_of(path), 0);
	assert_int_equal(mode_of(beside(".recording")), S_IFDIR | 0700);
	assert_int_equal(mode_of(beside(".recording/profile")), S_IFREG | 0600);
	assert_int_equal(mode_of(beside(".recording/profile-wal")), S_IFREG | 0600);
	assert_true(profile_bytes(w) > 4096);
	close_finished(w);
	umask(022);
	assert_int_equal(mode_of(path), S_IFREG | 0600);
	assert_int_equal(mode_of(beside(".recording")), 0);
	assert_int_equal(mode_of(beside("-wal")) | mode_of(beside("-shm")) | mode_of(beside("-journal")), 0);
	assert_string_equal(queried("pragma journal_mode"), "delete");
	assert_string_equal(queried("pragma integrity_check"), "ok");
}

static void the_files_belong_to_the_owner(void **state)
{
	static const char *const parts[] = {".recording", ".recording/profile", ".recording/profile-wal"};
	struct profile_writer *w;
	struct stat st;

	if (geteuid())
		skip();
	assert_int_equal(profile_create(&w, path, 12345, 54321, NULL), 0);
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(stat(beside(parts[i]), &st), 0);
		assert_int_equal(st.st_uid, 12345);
		assert_int_equal(st.st_gid, 54321);
		assert_int_equal(st.st_mode & 077, 0);
	}
	close_finished(w);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
}

static void an_older_one_stays_until_the_new_one_is_whole_and_is_kept_then(void **state)
{
	struct profile_writer *w;

	make_small();
	w = created();
	holds(path, 4, true);
	close_finished(w);
	holds(path, 0, true);
	holds(beside(".old"), 4, true);
	w = created();
	profile_discard(w);
	holds(path, 0, true);
	holds(beside(".old"), 4, true);
	assert_int_equal(mode_of(beside(".recording")), 0);
}

/* H5: two recordings into one file would destroy each other. */
static void a_second_recorder_is_refused_before_it_touches_anything(void **state)
{
	struct profile_writer *w, *second = NULL;
	struct dusk_error err;
	unsigned long names;
	struct stat before, after;

	make_small();
	w = created();
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	names = names_in(dir) + names_in(beside(".recording"));
	assert_int_equal(stat(beside(".recording/profile-wal"), &before), 0);
	assert_int_equal(profile_create(&second, path, -1, -1, &err), -EBUSY);
	assert_null(second);
	assert_non_null(strstr(err.text, "another recording is writing it"));
	assert_int_equal(dusk_profile_recover(path, 0, &err), -EBUSY);
	assert_non_null(strstr(err.text, "goes on"));
	assert_int_equal(stat(beside(".recording/profile-wal"), &after), 0);
	assert_true(before.st_size == after.st_size && before.st_ino == after.st_ino);
	assert_true(names == names_in(dir) + names_in(beside(".recording")));
	close_finished(w);
	holds(path, 4, true);
}

/* sqlite3 would write the log back and delete it. */
static void other_programs_are_locked_out_of_it(void **state)
{
	struct profile_writer *w = created();
	sqlite3 *db;

	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(sqlite3_open(beside(".recording/profile"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "select count(*) from sample", NULL, NULL, NULL), SQLITE_BUSY);
	sqlite3_close(db);
	write_small(w);
	close_finished(w);
	holds(path, 8, true);
	assert_string_equal(queried("pragma integrity_check"), "ok");
}

static void only_a_file_or_a_link_makes_way(void **state)
{
	struct profile_writer *w;
	struct dusk_error err;
	char link[80];
	struct stat st;

	assert_int_equal(profile_create(&w, "/dev/null", -1, -1, &err), -EINVAL);
	assert_int_equal(profile_create(&w, dir, -1, -1, &err), -EISDIR);
	assert_int_equal(profile_create(&w, "/nowhere/at/all.dusk", -1, -1, &err), -ENOENT);
	assert_int_equal(stat("/dev/null", &st), 0);

	/* A link is replaced, not followed. */
	make_small();
	copy_file(copy, path, SIZE_MAX);
	snprintf(link, sizeof(link), "%s/link.dusk", dir);
	assert_int_equal(symlink(copy, link), 0);
	assert_int_equal(profile_create(&w, link, -1, -1, &err), 0);
	close_finished(w);
	assert_true(S_ISREG(mode_of(link)));
	holds(copy, 4, true);
}

/* C2: what others put beside it is neither read, nor written, nor followed. */
static void neighbours_are_left_alone(void **state)
{
	static const char *const suffixes[] = {"-wal", "-shm", "-journal", ".recording-wal", ".recording-journal"};
	struct profile_writer *w = created();
	struct stat before[5], after;

	for (int i = 0; i < 5; i++) {
		int fd = open(beside(suffixes[i]), O_RDWR | O_CREAT | O_EXCL, 0666);

		assert_true(fd >= 0 && write(fd, "anything", 8) == 8);
		assert_int_equal(fstat(fd, &before[i]), 0);
		close(fd);
	}
	write_small(w);
	close_finished(w);
	holds(path, 4, true);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(stat(beside(suffixes[i]), &after), 0);
		assert_true(after.st_ino == before[i].st_ino && after.st_size == 8 &&
			    after.st_mtim.tv_nsec == before[i].st_mtim.tv_nsec);
	}
}

static void a_place_that_is_not_ours_is_refused(void **state)
{
	struct profile_writer *w = NULL;
	struct dusk_error err;

	assert_int_equal(mkdir(beside(".recording"), 0755), 0);
	assert_int_equal(profile_create(&w, path, -1, -1, &err), -EPERM);
	assert_non_null(strstr(err.text, "is not ours"));
	assert_int_equal(rmdir(beside(".recording")), 0);
	assert_int_equal(symlink(dir, beside(".recording")), 0);
	assert_int_equal(profile_create(&w, path, -1, -1, &err), -EPERM);
	assert_int_equal(unlink(beside(".recording")), 0);
	if (geteuid())
		return;
	assert_true(!mkdir(beside(".recording"), 0700) && !chown(beside(".recording"), 65534, 65534));
	assert_int_equal(profile_create(&w, path, -1, -1, &err), -EPERM);
	assert_null(w);
	assert_int_equal(mode_of(path), 0);
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
		assert_true(p->live);
		dusk_profile_free(p);
	}
	/* Its folder is a name for it, too. */
	p = opened(beside(".recording"));
	assert_int_equal(p->nr_samples, 14);
	dusk_profile_free(p);
	close_finished(w);
	holds(path, 15, true);
}

/* A log that grows beyond its limit is written back only when nobody reads, who would find half of it. */
static void a_reader_holds_the_log_in_place(void **state)
{
	struct profile_writer *w = created();
	int reader;
	struct stat st;

	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	reader = open(beside(".recording/profile"), O_RDONLY);
	assert_int_equal(flock(reader, LOCK_SH), 0);
	for (int i = 0; i < 100000; i++)
		write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(stat(beside(".recording/profile-wal"), &st), 0);
	assert_true(st.st_size > 4 << 20);
	close(reader);
	write_small(w);
	assert_int_equal(profile_commit(w, NULL), 0);
	assert_int_equal(stat(beside(".recording/profile-wal"), &st), 0);
	assert_int_equal(st.st_size, 0);
	write_small(w);
	close_finished(w);
	holds(path, 4 * 100003, true);
}

static void killed_it_loses_what_was_not_committed(void **state)
{
	leave_killed();
	holds(path, 1000, false);
	/* Reading it changes nothing. */
	holds(path, 1000, false);
	assert_int_equal(mode_of(path), 0);
	assert_int_equal(dusk_profile_recover(path, 0, NULL), 0);
	assert_int_equal(mode_of(path), S_IFREG | 0600);
	assert_int_equal(mode_of(beside(".recording")), 0);
	holds(path, 1000, false);
	assert_string_equal(queried("pragma integrity_check"), "ok");
	assert_int_equal(dusk_profile_recover(path, 0, NULL), -ENOENT);
}

/* H6 */
static void the_next_recording_keeps_one_that_was_killed(void **state)
{
	make_small();
	leave_killed();
	holds(path, 4, true);
	profile_discard(created());
	holds(path, 1000, false);
	holds(beside(".old"), 4, true);
	leave_killed();
	make_small();
	holds(path, 4, true);
	holds(beside(".old"), 1000, false);
}

static void a_recorder_that_was_killed_while_it_gave_the_name_is_no_obstacle(void **state)
{
	struct profile_writer *w;

	leave_killed();
	assert_int_equal(link(beside(".recording/profile"), path), 0);
	w = created();
	assert_int_equal(mode_of(beside(".recording")), S_IFDIR | 0700);
	close_finished(w);
	holds(path, 0, true);
}

static void a_recorder_that_was_killed_before_it_began_leaves_nothing_to_recover(void **state)
{
	int fd;

	assert_int_equal(mkdir(beside(".recording"), 0700), 0);
	fd = open(beside(".recording/profile"), O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(dusk_profile_recover(path, 0, NULL), -ENODATA);
	assert_int_equal(mode_of(beside(".recording")), 0);
	assert_int_equal(mkdir(beside(".recording"), 0700), 0);
	make_small();
	holds(path, 4, true);
}

/* A recorder up to its first commit, in a child, killed at its system call @nr. Returns false if it has ended before. */
static bool born_until(int nr)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct profile_writer *w = NULL;

		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(2);
		raise(SIGSTOP);
		if (profile_create(&w, path, -1, -1, NULL))
			_exit(1);
		profile_set(w, "start_realtime_ns", "1700000000000000000");
		_exit(profile_commit(w, NULL) ? 1 : 0);
	}
	for (int i = 0; waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && i < nr; i++)
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return false;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return true;
}

/* What it has left is nothing, or says when it began, to those that read it and to those that recover it. */
static void whenever_it_is_killed_it_says_when_it_began_or_nothing(void **state)
{
	struct dusk_profile *p = NULL;
	int nr_empty = 0, nr_begun = 0;
	struct dusk_error err;
	bool killed = true;

	if (!born_until(0))
		skip();
	for (int i = 0; killed; i++) {
		int rc, recovered;

		assert_int_equal(fresh(state), 0);
		killed = born_until(i);
		rc = mode_of(beside(".recording/profile")) ? dusk_profile_read(&p, path, &err) : -ENODATA;
		if (rc && rc != -ENODATA)
			fail_msg("call %d: %s", i, err.text);
		if (!rc)
			assert_non_null(dusk_profile_setting(p, "start_realtime_ns"));
		dusk_profile_free(steal(p));
		recovered = mode_of(beside(".recording")) ? dusk_profile_recover(path, 0, &err) : -ENODATA;
		if (recovered != rc && recovered != -ENOENT) /* no file was in it */
			fail_msg("call %d: %s", i, err.text);
		*(rc ? &nr_empty : &nr_begun) += 1;
	}
	print_message("%d kills left nothing, %d a beginning\n", nr_empty, nr_begun);
	assert_true(nr_empty > 10 && nr_begun > 0);
}

static void nor_does_one_that_was_killed_before_it_had_tables(void **state)
{
	sqlite3 *db;
	int fd;

	assert_int_equal(mkdir(beside(".recording"), 0700), 0);
	assert_int_equal(sqlite3_open(beside(".recording/profile"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "pragma application_id=0x6475736b", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	fd = open(beside(".recording/profile"), O_RDWR);
	assert_int_equal(fchmod(fd, 0600), 0);
	close(fd);
	assert_int_equal(dusk_profile_recover(path, 0, NULL), -ENODATA);
	assert_int_equal(mode_of(beside(".recording")), 0);
}

static void while_somebody_reads_it_is_not_recovered(void **state)
{
	struct dusk_error err;
	int reader;

	leave_killed();
	reader = open(beside(".recording/profile"), O_RDONLY);
	assert_int_equal(flock(reader, LOCK_SH), 0);
	assert_int_equal(dusk_profile_recover(path, 0, &err), -EBUSY);
	assert_non_null(strstr(err.text, "somebody reads it"));
	assert_int_equal(mode_of(path), 0);
	close(reader);
	assert_int_equal(dusk_profile_recover(path, 0, &err), 0);
	holds(path, 1000, false);
}

/* A file that has another name, too, is perhaps not ours: what was linked into the folder would be written to. */
static void a_database_or_a_log_with_another_name_is_refused(void **state)
{
	static const char *const files[] = {".recording/profile", ".recording/profile-wal"};
	struct profile_writer *w = NULL;
	struct stat before, after;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(fresh(state), 0);
		leave_killed();
		assert_int_equal(link(beside(files[i]), beside(".other")), 0);
		assert_int_equal(stat(beside(".other"), &before), 0);
		assert_int_equal(dusk_profile_recover(path, 0, NULL), -EPERM);
		assert_int_equal(profile_create(&w, path, -1, -1, NULL), -EPERM);
		assert_int_equal(stat(beside(".other"), &after), 0);
		assert_true(before.st_size == after.st_size && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
	}
}

/* A link in the place of a file is followed neither by who reads nor by who writes. */
static void links_in_its_folder_are_not_followed(void **state)
{
	static const char *const files[] = {".recording/profile", ".recording/profile-wal"};
	struct dusk_profile *p = NULL;
	struct dusk_error err;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(fresh(state), 0);
		leave_killed();
		assert_int_equal(rename(beside(files[i]), beside(".elsewhere")), 0);
		assert_int_equal(symlink(beside(".elsewhere"), beside(files[i])), 0);
		assert_int_not_equal(dusk_profile_read(&p, path, &err), 0);
		assert_null(p);
		assert_int_not_equal(dusk_profile_recover(path, 0, &err), 0);
		assert_int_equal(mode_of(path), 0);
		assert_int_equal(mode_of(beside(".elsewhere")) & S_IFMT, S_IFREG);
	}
}

/* What cannot be made whole is not destroyed. */
static void what_is_no_recording_stays(void **state)
{
	struct profile_writer *w = NULL;
	struct dusk_error err;
	FILE *f;

	assert_int_equal(mkdir(beside(".recording"), 0700), 0);
	f = fopen(beside(".recording/profile"), "w");
	assert_true(f && fputs("somebody's only copy of something", f) >= 0 && !fclose(f));
	assert_int_equal(profile_create(&w, path, -1, -1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "it is no recording"));
	assert_null(w);
	assert_int_equal(dusk_profile_recover(path, 0, &err), -EINVAL);
	assert_int_equal(mode_of(path), 0);
	assert_int_equal(mode_of(beside(".recording/profile")) & S_IFMT, S_IFREG);
}

static void one_without_a_name_is_whole_for_those_that_have_it_open_and_leaves_none(void **state)
{
	int fd = open(dir, O_TMPFILE | O_RDWR, 0600);
	unsigned long before = names_in(dir);
	struct profile_writer *w;
	char self[64];

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(profile_create_unnamed(&w, fd, NULL), 0);
	for (int i = 0; i < 50000; i++) {
		write_small(w);
		if (i % 100 == 0)
			assert_int_equal(profile_commit(w, NULL), 0);
	}
	assert_int_equal(names_in(dir), before);
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(names_in(dir), before);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	holds(self, 4 * 50000, true);
	close(fd);
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
	print_message("%s\n", err.text);
	assert_non_null(
		strstr(err.text, access(file, F_OK) ? "what was recorded is in" : "what was recorded before is in it"));
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

static void ignore(int signal)
{
}

/* The same with a limit on the size of files, but for the signal that comes with it. */
static void a_limit_keeps_what_was_committed(void **state)
{
	struct dusk_profile *p;
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct rlimit limit = {1 << 20, 1 << 20};
		struct dusk_error err = {""};
		struct profile_writer *w;
		int rc = 0;

		signal(SIGXFSZ, ignore);
		setrlimit(RLIMIT_FSIZE, &limit);
		if (profile_create(&w, path, -1, -1, NULL))
			_exit(1);
		for (int n = 0; !rc && n < 1000; n++) {
			for (int i = 0; i < 100; i++)
				write_small(w);
			rc = profile_commit(w, NULL);
		}
		if (rc != -EFBIG || profile_close(w, true, &err) != -EFBIG ||
		    !strstr(err.text, "File too large; what was recorded"))
			_exit(2);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	p = opened(path);
	assert_true(p->nr_samples >= 400 && p->nr_samples % 400 == 0);
	assert_false(p->finished);
	assert_string_equal(dusk_profile_setting(p, "ended_by"), "File too large");
	dusk_profile_free(p);
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
		cmocka_unit_test_setup(nobody_else_may_reach_it_until_it_is_whole_and_then_it_is_one_file, fresh),
		cmocka_unit_test_setup(the_files_belong_to_the_owner, fresh),
		cmocka_unit_test_setup(an_older_one_stays_until_the_new_one_is_whole_and_is_kept_then, fresh),
		cmocka_unit_test_setup(a_second_recorder_is_refused_before_it_touches_anything, fresh),
		cmocka_unit_test_setup(other_programs_are_locked_out_of_it, fresh),
		cmocka_unit_test_setup(only_a_file_or_a_link_makes_way, fresh),
		cmocka_unit_test_setup(neighbours_are_left_alone, fresh),
		cmocka_unit_test_setup(a_place_that_is_not_ours_is_refused, fresh),
		cmocka_unit_test_setup(it_is_read_while_it_is_written, fresh),
		cmocka_unit_test_setup(a_reader_holds_the_log_in_place, fresh),
		cmocka_unit_test_setup(killed_it_loses_what_was_not_committed, fresh),
		cmocka_unit_test_setup(the_next_recording_keeps_one_that_was_killed, fresh),
		cmocka_unit_test_setup(a_recorder_that_was_killed_while_it_gave_the_name_is_no_obstacle, fresh),
		cmocka_unit_test_setup(a_recorder_that_was_killed_before_it_began_leaves_nothing_to_recover, fresh),
		cmocka_unit_test_setup(whenever_it_is_killed_it_says_when_it_began_or_nothing, fresh),
		cmocka_unit_test_setup(nor_does_one_that_was_killed_before_it_had_tables, fresh),
		cmocka_unit_test_setup(while_somebody_reads_it_is_not_recovered, fresh),
		cmocka_unit_test_setup(a_database_or_a_log_with_another_name_is_refused, fresh),
		cmocka_unit_test_setup(links_in_its_folder_are_not_followed, fresh),
		cmocka_unit_test_setup(what_is_no_recording_stays, fresh),
		cmocka_unit_test_setup(one_without_a_name_is_whole_for_those_that_have_it_open_and_leaves_none, fresh),
		cmocka_unit_test_setup(a_full_disk_keeps_what_was_committed, fresh),
		cmocka_unit_test_setup(a_limit_keeps_what_was_committed, fresh),
		cmocka_unit_test_setup(it_is_read_where_nothing_can_be_written, fresh),
		cmocka_unit_test_setup(odd_names_are_no_uris, fresh),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
