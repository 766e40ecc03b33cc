/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what was written what is read, whatever happens to the writer, the disk or the file? */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "abi/outcome.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/profile_schema.h"
#include "lib/profile_write.h"

static char dir[] = "/tmp/dusk-profile-XXXXXX";
static char path[64], copy[64];

static int make_dir(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/p.dusk", mkdtemp(dir));
	snprintf(copy, sizeof(copy), "%s/copy.dusk", dir);
	return 0;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

static struct profile_writer *created(void)
{
	struct profile_writer *w = NULL;
	struct dusk_error err = {0};

	if (profile_create(&w, path, -1, -1, &err))
		print_error("%s\n", err.text);
	assert_non_null(w);
	return w;
}

static struct dusk_profile *opened(const char *name)
{
	struct dusk_profile *p = NULL;
	struct dusk_error err = {0};

	if (dusk_profile_read(&p, name, &err))
		print_error("%s\n", err.text);
	assert_non_null(p);
	return p;
}

/* @name is refused with @code, and the reason says something. */
static void assert_refused(const char *name, int code, const char *says)
{
	struct dusk_profile *p = (void *)0x77;
	struct dusk_error err = {0};

	assert_int_equal(dusk_profile_read(&p, name, &err), code);
	assert_ptr_equal(p, (void *)0x77);
	assert_non_null(strstr(err.text, says));
	assert_non_null(strstr(err.text, name));
}

static void run_sql(const char *name, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(name, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why))
		print_error("%s: %s\n", sql, why);
	assert_null(why);
	sqlite3_close(db);
}

/* What @sql gives, all columns and rows in one line. */
static const char *queried(const char *sql)
{
	static char text[4096];
	sqlite3_stmt *stmt;
	sqlite3 *db;

	text[0] = 0;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *value = (const char *)sqlite3_column_text(stmt, i);

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 !*text ? "" : i ? "|" : " / ", value ? value : "NULL");
		}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return text;
}

static void copy_file(const char *to, const char *from, size_t max_bytes)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(fclosep) FILE *f = NULL;
	size_t len;

	assert_int_equal(file_read(&text, &len, from, 1 << 30), 0);
	f = fopen(to, "w");
	assert_int_equal(fwrite(text, 1, len < max_bytes ? len : max_bytes, f), len < max_bytes ? len : max_bytes);
}

static const struct dusk_module libc = {
	.kind = DUSK_MODULE_FILE, .pid = 4711, .path = "/usr/lib/libc.so.6", .build_id = "0123abcd",
	.dev = 0xfd00, .ino = UINT64_MAX, .generation = 3000000000,
};
static const struct dusk_module kernel = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]"};

/* main calls work, which calls into the kernel; two threads. */
static void write_small(struct profile_writer *w)
{
	uint32_t file = profile_module(w, &libc), k = profile_module(w, &kernel);
	uint32_t outer = profile_node(w, 0, profile_frame(w, file, 0x1000, true));
	uint32_t inner = profile_node(w, outer, profile_frame(w, file, 0x2000, false));
	uint32_t deep = profile_node(w, inner, profile_frame(w, k, 0xffffffff81000100, false));
	uint32_t one = profile_thread(w, 100, 100, "one"), two = profile_thread(w, 100, 101, "two");
	const struct dusk_sample samples[] = {
		{.time_ns = 3000000000, .thread = two, .node = deep, .cpu = 65535, .outcome = ENTRY_POINT},
		{.time_ns = 1000000, .thread = one, .node = inner, .cpu = 0, .outcome = UNDEFINED_RA},
		{.time_ns = 2000000, .thread = one, .node = inner, .cpu = 1, .outcome = STACK_UNREADABLE},
		{.time_ns = 2000000, .thread = one, .node = 0, .cpu = 2, .outcome = RING_LOST},
	};

	profile_set(w, "period_ns", "10101010");
	profile_set(w, "command", "dusk record -a");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		profile_sample(w, &samples[i]);
	profile_counter(w, "lost-samples", "sample events lost", 5);
	profile_counter(w, "lost-samples", "sample events lost", UINT64_MAX);
	profile_counter(w, "walks", "stacks walked", 7);
}

static void close_finished(struct profile_writer *w)
{
	struct dusk_error err = {0};

	if (profile_close(w, true, &err))
		fail_msg("%s", err.text);
}

static void make_small(void)
{
	struct profile_writer *w = created();

	write_small(w);
	close_finished(w);
}

static void what_was_written_is_read(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	make_small();
	p = opened(path);
	assert_true(p->finished);
	assert_false(p->symbolized);
	assert_int_equal(p->period_ns, 10101010);
	assert_string_equal(dusk_profile_setting(p, "command"), "dusk record -a");
	assert_null(dusk_profile_setting(p, "nothing"));

	assert_int_equal(p->nr_modules, 3);
	assert_int_equal(p->modules[0].kind, DUSK_MODULE_NONE);
	assert_int_equal(p->modules[1].kind, libc.kind);
	assert_int_equal(p->modules[1].pid, libc.pid);
	assert_string_equal(p->modules[1].path, libc.path);
	assert_string_equal(p->modules[1].build_id, libc.build_id);
	assert_true(p->modules[1].dev == libc.dev && p->modules[1].ino == libc.ino);
	assert_true(p->modules[1].generation == libc.generation);
	assert_int_equal(p->modules[2].kind, DUSK_MODULE_KERNEL);
	assert_string_equal(p->modules[2].build_id, "");

	assert_int_equal(p->nr_functions, 1);
	assert_int_equal(p->nr_frames, 4);
	assert_int_equal(p->frames[1].module, 1);
	assert_int_equal(p->frames[1].offset, 0x1000);
	assert_int_equal(p->frames[1].address, 0x1000);
	assert_true(p->frames[1].is_return);
	assert_false(p->frames[2].is_return);
	assert_true(p->frames[3].offset == 0xffffffff81000100);
	assert_int_equal(p->nr_nodes, 4);
	assert_int_equal(p->nodes[3].parent, 2);
	assert_int_equal(p->nodes[3].frame, 3);
	assert_int_equal(p->nodes[1].parent, 0);

	assert_int_equal(p->nr_threads, 2);
	assert_string_equal(p->threads[1].comm, "two");
	assert_int_equal(p->threads[1].pid, 100);
	assert_int_equal(p->threads[1].tid, 101);

	assert_int_equal(p->nr_counters, 2);
	assert_string_equal(p->counters[0].name, "lost-samples");
	assert_true(p->counters[0].value == UINT64_MAX);
	assert_string_equal(p->counters[1].sentence, "stacks walked");
}

static void samples_come_by_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	make_small();
	p = opened(path);
	assert_int_equal(p->nr_samples, 4);
	assert_int_equal(p->samples[0].time_ns, 1000000);
	assert_int_equal(p->samples[0].node, 2);
	assert_int_equal(p->samples[0].thread, 0);
	assert_int_equal(p->samples[0].outcome, UNDEFINED_RA);
	assert_int_equal(p->samples[1].outcome, STACK_UNREADABLE);
	assert_int_equal(p->samples[2].node, 0);
	assert_true(p->samples[3].time_ns == 3000000000);
	assert_int_equal(p->samples[3].cpu, 65535);
	assert_int_equal(p->samples[3].source, 0);
	assert_int_equal(p->samples[3].thread, 1);
}

static void outcomes_are_those_of_the_table(void **state)
{
	static const char *const names[] = {
#define X(code, name, class, sentence) name,
		OUTCOMES(X)
#undef X
	};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;

	(void)state;
	make_small();
	p = opened(path);
	assert_int_equal(p->nr_outcomes, NR_OUTCOMES);
	for (int i = 0; i < NR_OUTCOMES; i++)
		assert_string_equal(p->outcomes[i].name, names[i]);
	assert_int_equal(p->outcomes[UNDEFINED_RA].kind, DUSK_COMPLETE);
	assert_int_equal(p->outcomes[NO_MAPPING].kind, DUSK_CUT);
	assert_int_equal(p->outcomes[RING_LOST].kind, DUSK_NO_STACK);
	assert_int_equal(p->outcomes[KERNEL_THREAD].kind, DUSK_ABSENT);
}

static void the_same_gets_the_same_index(void **state)
{
	struct profile_writer *w = created();
	struct dusk_module m = libc, anon = {.kind = DUSK_MODULE_ANON, .pid = 1, .path = "[anon]"};
	uint32_t file = profile_module(w, &m), jit = profile_module(w, &anon), frame, node;

	(void)state;
	m.pid++;
	assert_int_equal(profile_module(w, &m), file);
	m.generation++;
	assert_int_not_equal(profile_module(w, &m), file);
	assert_int_equal(profile_module(w, &anon), jit);
	anon.pid++;
	assert_int_not_equal(profile_module(w, &anon), jit);

	frame = profile_frame(w, file, 0x1000, false);
	assert_int_equal(profile_frame(w, file, 0x1000, false), frame);
	assert_int_not_equal(profile_frame(w, file, 0x1000, true), frame);
	assert_int_not_equal(profile_frame(w, jit, 0x1000, false), frame);
	node = profile_node(w, 0, frame);
	assert_int_equal(profile_node(w, 0, frame), node);
	assert_int_not_equal(profile_node(w, node, frame), node);

	assert_int_equal(profile_thread(w, 1, 1, "a"), profile_thread(w, 1, 1, "a"));
	assert_int_not_equal(profile_thread(w, 1, 1, "a"), profile_thread(w, 1, 1, "b"));
	assert_int_not_equal(profile_thread(w, 1, 1, "a"), profile_thread(w, 1, 2, "a"));
	close_finished(w);
}

static void a_module_is_completed_later(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	struct dusk_module bare = {.kind = DUSK_MODULE_FILE, .dev = 1, .ino = 2}, whole = bare;
	uint32_t module = profile_module(w, &bare);

	(void)state;
	profile_commit(w, NULL);
	whole.path = "/bin/late";
	profile_module_update(w, module, &whole);
	assert_int_equal(profile_module(w, &whole), module);
	bare.build_id = "ffee";
	profile_module_update(w, module, &bare);
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_modules, 2);
	assert_string_equal(p->modules[module].path, "/bin/late");
	assert_string_equal(p->modules[module].build_id, "ffee");
}

static void symbols_are_saved_and_read(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL, *q = NULL;
	struct dusk_function functions[] = {{"", "", ""}, {"a::b", "_ZN1a1bEv", "libc.so.6"}, {"c", "c", "[kernel]"}};
	struct dusk_function *own;
	struct dusk_error err;

	(void)state;
	make_small();
	p = opened(path);
	own = p->functions;
	p->functions = functions;
	p->nr_functions = 3;
	p->frames[1].function = 1;
	p->frames[1].function_offset = 0x10;
	p->frames[1].address = 0x401000;
	p->frames[3].function = 2;
	for (int twice = 0; twice < 2; twice++)
		assert_int_equal(dusk_profile_save_symbols(p, path, &err), 0);
	p->functions = own;
	q = opened(path);
	assert_true(q->symbolized);
	assert_int_equal(q->nr_functions, 3);
	assert_string_equal(q->functions[1].name, "a::b");
	assert_string_equal(q->functions[1].symbol, "_ZN1a1bEv");
	assert_string_equal(q->functions[1].module, "libc.so.6");
	assert_string_equal(q->functions[2].symbol, "c");
	assert_int_equal(q->frames[1].function, 1);
	assert_int_equal(q->frames[1].function_offset, 0x10);
	assert_int_equal(q->frames[1].address, 0x401000);
	assert_int_equal(q->frames[2].function, 0);
	assert_int_equal(q->nr_samples, 4);

	assert_string_equal(queried("select folded,samples from stacks order by id"),
			    "a::b;libc.so.6+0x2000|2 / a::b;libc.so.6+0x2000;c|1");
	assert_string_equal(queried("select function,module,comm,samples from top_functions"),
			    "libc.so.6+0x2000|libc.so.6|one|2 / [ring-lost]|NULL|one|1 / c|[kernel]|two|1");
	assert_string_equal(queried("select time_s,pid,tid,comm,cpu,function,module,outcome from samples where cpu=1"),
			    "0.002|100|100|one|1|libc.so.6+0x2000|libc.so.6|stack-unreadable");
	assert_string_equal(queried("select name,value from losses order by 1"),
			    "ring-lost|1 / stack-unreadable|1");
}

static void symbols_of_another_recording_are_not_saved(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_error err;

	(void)state;
	make_small();
	p = opened(path);
	close_finished(created());
	assert_int_equal(dusk_profile_save_symbols(p, path, &err), -ESTALE);
	copy_file(copy, "/proc/self/status", SIZE_MAX);
	assert_int_equal(dusk_profile_save_symbols(p, copy, &err), -EINVAL);
}

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

static void a_newer_version_is_refused(void **state)
{
	(void)state;
	make_small();
	run_sql(path, "pragma user_version=2");
	assert_refused(path, -EPROTONOSUPPORT, "newer");
}

static void what_is_no_profile_is_refused(void **state)
{
	(void)state;
	assert_refused("/nowhere/p.dusk", -ENOENT, "No such file");
	assert_refused(dir, -EINVAL, "not a dusk profile");
	assert_refused("/dev/null", -EINVAL, "not a dusk profile");
	assert_refused("/proc/self/exe", -EINVAL, "not a dusk profile");
	make_small();
	copy_file(copy, path, 0);
	assert_refused(copy, -EINVAL, "not a dusk profile");
	run_sql(copy, "create table sample(a)");
	assert_refused(copy, -EINVAL, "not a dusk profile");
	run_sql(copy, "pragma application_id=1685418859; pragma user_version=1");
	assert_refused(copy, -EINVAL, "damaged");
}

static void a_truncated_file_is_refused(void **state)
{
	struct dusk_profile *p;
	struct dusk_error err;
	struct stat st;

	(void)state;
	make_small();
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = 0; len < st.st_size; len += 512) {
		copy_file(copy, path, len);
		err.text[0] = 0;
		p = NULL;
		assert_int_equal(dusk_profile_read(&p, copy, &err), -EINVAL);
		assert_null(p);
		assert_non_null(strstr(err.text, copy));
	}
}

/* Either an error that says so, or numbers that point to what is there: all of which the sanitizers watch. */
static void flipped_bits_do_no_harm(void **state)
{
	uint32_t seed = 7;
	volatile size_t sum = 0;	/* volatile: the reads must happen for the sanitizers to watch */
	int read = 0, refused = 0;

	(void)state;
	make_small();
	for (int i = 0; i < 1500; i++) {
		struct dusk_profile *p = NULL;
		struct stat st;
		char byte;
		int fd;

		copy_file(copy, path, SIZE_MAX);
		fd = open(copy, O_RDWR);
		assert_int_equal(fstat(fd, &st), 0);
		for (int k = 0; k < 3; k++) {
			seed = seed * 1664525 + 1013904223;
			assert_int_equal(pread(fd, &byte, 1, (seed >> 3) % st.st_size), 1);
			byte ^= 1 << (seed & 7);
			assert_int_equal(pwrite(fd, &byte, 1, (seed >> 3) % st.st_size), 1);
		}
		close(fd);
		if (dusk_profile_read(&p, copy, NULL)) {
			refused++;
			continue;
		}
		read++;
		for (uint64_t s = 0; s < p->nr_samples; s++) {
			assert_in_range(p->samples[s].thread, 0, p->nr_threads - 1);
			for (uint32_t n = p->samples[s].node; n; n = p->nodes[n].parent)
				sum += *p->functions[p->frames[p->nodes[n].frame].function].name;
		}
		dusk_profile_free(p);
	}
	/* Both happened, or the bits were not where it matters. */
	assert_true(read > 0 && refused > 0);
}

static void hostile_rows_are_refused(void **state)
{
	static const char *const attacks[] = {
		"update node set parent=id where id=3",
		"update node set parent=3 where id=2",
		"update node set parent=-1 where id=2",
		"update node set parent='x' where id=2",
		"update node set parent=null where id=2",
		"update node set parent=1.5 where id=2",
		"update node set frame=4",
		"update node set frame=4294967297",
		"delete from node where id=2",
		"insert into node values(4294967297,0,1)",
		"insert into node values(-1,0,1)",
		"insert into node values(9223372036854775807,0,1)",
		"update sample set node=4",
		"update sample set thread=2",
		"update sample set thread=-1",
		"update sample set thread=null",
		"update sample set outcome=256",
		"update sample set outcome=200",
		"update sample set cpu=65536",
		"update sample set time=-1",
		"update sample set time=9223372036854775807",
		"update sample set time='soon'",
		"update sample set time=zeroblob(100)",
		"insert into sample values(-5,0,0,0,0,0)",
		"delete from thread",
		"delete from outcome",
		"delete from module",
		"delete from thread where id=0",
		"update frame set module=3",
		"update frame set offset=null",
		"update frame set is_return=2",
		"update frame set function=1",
		"update frame set function_offset=4294967296",
		"update module set kind=5",
		"update module set pid=-1",
		"update module set path=x'00ff'",
		"update module set generation=4294967296",
		"insert into image values(1,null); insert into function values(1,null,null,1)",
		"insert into function values(1,'a','a',1)",
		"insert into function values(2,'a','a',null)",
		"update outcome set class='wonderful'",
		"update outcome set name=null",
		"insert into outcome values(256,'a','cut','b')",
		"update counter set value='many'",
		"insert into counter values(null,1,'a')",
		"update thread set comm=cast(zeroblob(20000000) as text)",
		"drop table sample",
		"drop table sample; create table sample(id integer primary key)",
		"drop table sample; create table sample(id integer primary key,time,thread,node,cpu,outcome) without "
		"rowid",
		("drop table sample; create view sample as with recursive r(n) as (select 1 union all select n+1 from "
		 "r) "
		 "select n id,1 time,0 thread,0 node,0 cpu,0 outcome,n rowid from r"),
		"drop table node; create virtual table node using fts5(id,parent,frame)",
	};

	(void)state;
	make_small();
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		struct dusk_profile *p = NULL;
		struct dusk_error err = {0};
		int rc;

		copy_file(copy, path, SIZE_MAX);
		/* What SQLite itself refuses cannot come in a file either. */
		sqlite3 *db;

		assert_int_equal(sqlite3_open(copy, &db), SQLITE_OK);
		rc = sqlite3_exec(db, attacks[i], NULL, NULL, NULL);
		sqlite3_close(db);
		if (rc) {
			print_message("SQLite refuses: %s\n", attacks[i]);
			continue;
		}
		rc = dusk_profile_read(&p, copy, &err);
		if (rc != -EINVAL || !strstr(err.text, "damaged"))
			fail_msg("%s: %d %s", attacks[i], rc, err.text);
		assert_null(p);
	}
}

static void huge_values_are_refused(void **state)
{
	(void)state;
	make_small();
	copy_file(copy, path, SIZE_MAX);
	run_sql(copy, "alter table setting add column more; pragma writable_schema=on;"
		      "update sqlite_schema set sql=replace(sql,'value text',"
		      "'value text as (printf(''%.*c'',10000000,''x'')||printf(''%.*c'',10000000,''x''))')"
		      " where name='setting'");
	assert_refused(copy, -EINVAL, "damaged");
}

/*
 * A page of an index (SQLite file format, 1.6) with the row ('a','b') @nr times; where @child is not 0, each row stands
 * behind all that is in page @child.
 */
static void make_page(unsigned char page[PROFILE_PAGE_BYTES], int nr, uint32_t child)
{
	int header = child ? 12 : 8, cell_bytes = child ? 10 : 6;
	const unsigned char pointer[] = {child >> 24, child >> 16, child >> 8, child}, row[] = {5, 3, 15, 15, 'a', 'b'};
	int at = PROFILE_PAGE_BYTES;

	memset(page, 0, PROFILE_PAGE_BYTES);
	page[0] = child ? 2 : 10;
	page[4] = nr;
	if (child)
		memcpy(page + 8, pointer, 4);
	for (int i = 0; i < nr; i++) {
		at -= cell_bytes;
		if (child)
			memcpy(page + at, pointer, 4);
		memcpy(page + at + cell_bytes - sizeof(row), row, sizeof(row));
		page[header + 2 * i] = at >> 8;
		page[header + 2 * i + 1] = at;
	}
	page[5] = at >> 8;
	page[6] = at;
}

/* Twelve pages that lead to one another, 31 times each: 31^11 rows in a file of 30 KB. */
static void a_tree_of_pages_without_end_is_broken_off(void **state)
{
	enum { LEVELS = 12, ROWS = 30 };
	unsigned char page[PROFILE_PAGE_BYTES];
	uint32_t root, last;
	struct stat st;
	int fd;

	(void)state;
	make_small();
	run_sql(path, "create table filler(x); insert into filler values(zeroblob(20000))");
	root = atoi(queried("select rootpage from sqlite_schema where name='setting'"));
	assert_int_equal(stat(path, &st), 0);
	last = st.st_size / PROFILE_PAGE_BYTES;
	fd = open(path, O_WRONLY);
	for (int i = 0; i < LEVELS; i++) {
		uint32_t number = i < LEVELS - 1 ? last - i : root;

		make_page(page, ROWS, i ? last - i + 1 : 0);
		assert_int_equal(pwrite(fd, page, sizeof(page), (number - 1L) * sizeof(page)), sizeof(page));
	}
	close(fd);
	assert_refused(path, -EINVAL, "too long");
}

static void many_samples_in_disorder_come_by_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_writer *w = created();
	uint32_t thread = profile_thread(w, 1, 1, "x"), seed = 3;
	uint64_t sum = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		profile_sample(w,
			       &(struct dusk_sample){.time_ns = (seed >> 4) * 1000ULL, .thread = thread, .outcome = 1});
		sum += seed >> 4;
		if (i % 1000 == 0)
			assert_int_equal(profile_commit(w, NULL), 0);
	}
	close_finished(w);
	p = opened(path);
	assert_int_equal(p->nr_samples, 20000);
	for (int i = 0; i < 20000; i++) {
		if (i)
			assert_true(p->samples[i].time_ns >= p->samples[i - 1].time_ns);
		sum -= p->samples[i].time_ns / 1000;
	}
	assert_int_equal(sum, 0);
}

/* Stacks as they come: 500 of 30 frames, that share their outer part and use the same functions again. */
static void a_sample_takes_few_bytes(void **state)
{
	struct profile_writer *w = created();
	uint32_t file = profile_module(w, &libc), seed = 5;
	struct stat st;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		uint32_t node = 0, stack = i % 500;

		for (int d = 0; d < 30; d++) {
			uint32_t branch = d < 20 ? stack % (1 + d) : d < 26 ? stack % 100 : stack;
			uint32_t place = (branch * 2654435761u + d * 40503) % 2000;

			node = profile_node(w, node, profile_frame(w, file, 0x20000 + place * 211, true));
		}
		seed = seed * 1664525 + 1013904223;
		profile_sample(w, &(struct dusk_sample){
					  .time_ns = i * 2000000ULL,
					  .node = node,
					  .cpu = i & 1,
					  .outcome = 1,
					  .thread = profile_thread(w, 1000 + seed % 40, 1000 + seed % 40, "worker")});
	}
	close_finished(w);
	assert_int_equal(stat(path, &st), 0);
	print_message("%.1f bytes a sample\n", st.st_size / 5000.0);
	assert_in_range(st.st_size, 1, 60 * 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(samples_come_by_time),
		cmocka_unit_test(outcomes_are_those_of_the_table),
		cmocka_unit_test(the_same_gets_the_same_index),
		cmocka_unit_test(a_module_is_completed_later),
		cmocka_unit_test(symbols_are_saved_and_read),
		cmocka_unit_test(symbols_of_another_recording_are_not_saved),
		cmocka_unit_test(the_file_is_private_and_alone),
		cmocka_unit_test(the_files_belong_to_the_owner),
		cmocka_unit_test(what_was_there_is_replaced_but_only_a_file),
		cmocka_unit_test(it_is_read_while_it_is_written),
		cmocka_unit_test(killed_it_loses_what_was_not_committed),
		cmocka_unit_test(a_full_disk_keeps_what_was_committed),
		cmocka_unit_test(it_is_read_where_nothing_can_be_written),
		cmocka_unit_test(odd_names_are_no_uris),
		cmocka_unit_test(a_newer_version_is_refused),
		cmocka_unit_test(what_is_no_profile_is_refused),
		cmocka_unit_test(a_truncated_file_is_refused),
		cmocka_unit_test(flipped_bits_do_no_harm),
		cmocka_unit_test(hostile_rows_are_refused),
		cmocka_unit_test(huge_values_are_refused),
		cmocka_unit_test(a_tree_of_pages_without_end_is_broken_off),
		cmocka_unit_test(many_samples_in_disorder_come_by_time),
		cmocka_unit_test(a_sample_takes_few_bytes),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
