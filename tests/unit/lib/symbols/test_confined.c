/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What may the process do that reads untrusted files, and which files may be opened for it? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "lib/symbols/confined.h"
#include "lib/symbols/opener.h"
#include "base/sandbox.h"

static char folder[] = "/tmp/dusk-confined-XXXXXX";
static char binary[64];

/* What the reader said, an errno or another number for each question. */
static struct {
	int said[16];
	size_t nr;
	char status[4096]; /* of the reader, when it first said something */
} heard;

/* /proc/PID/status of our child that has a filter for system calls. */
static void look_at_reader(void)
{
	_cleanup_(freep) char *children = NULL;
	char path[64], *next;
	size_t len;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)syscall(SYS_gettid));
	assert_int_equal(file_read(&children, &len, path, 4096), 0);
	next = children;
	for (int pid; (pid = strtol(next, &next, 10)) > 0;) {
		_cleanup_(freep) char *status = NULL;

		snprintf(path, sizeof(path), "/proc/%d/status", pid);
		if (!file_read(&status, &len, path, sizeof(heard.status) - 1) && strstr(status, "Seccomp:\t2"))
			strcpy(heard.status, status);
	}
}

static ssize_t take(void *arg, const char *data, size_t bytes)
{
	size_t whole = bytes / sizeof(int);

	(void)arg;
	if (whole && !*heard.status)
		look_at_reader();
	for (size_t i = 0; i < whole && heard.nr < 16; i++)
		memcpy(&heard.said[heard.nr++], data + i * sizeof(int), sizeof(int));
	return whole * sizeof(int);
}

static int run(int (*reader)(void *arg, int out), void *arg, struct confined *c)
{
	_cleanup_(closep) int fd = open(binary, O_RDONLY | O_CLOEXEC);

	memset(&heard, 0, sizeof(heard));
	*c = (struct confined){.fd = fd, .path = binary, .arg = arg, .read = reader, .take = take};
	return confined_run(c);
}

static void say_int(int out, int value)
{
	file_write_fd(out, &value, sizeof(value));
}

static int error_of(long ret)
{
	return ret < 0 ? errno : 0;
}

/* System calls, each with what would harm. */
static int try_calls(void *arg, int out)
{
	char path[] = "/tmp";

	(void)arg;
	say_int(out, error_of(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0)));
	say_int(out, error_of(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)));
	say_int(out, error_of(syscall(SYS_execve, "/bin/true", NULL, NULL)));
	say_int(out, error_of(syscall(SYS_kill, getppid(), 0)));
	say_int(out, error_of(syscall(SYS_unlinkat, AT_FDCWD, path, 0)));
	say_int(out, error_of(syscall(SYS_ptrace, 0, 0, 0, 0)));
	say_int(out,
		error_of(syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -1
				 ? -1
				 : 0));
	say_int(out, error_of(syscall(SYS_openat2, AT_FDCWD, path, NULL, 0)));
	return 0;
}

static void it_may_not_call_what_it_does_not_need(void **state)
{
	struct confined c;

	(void)state;
	assert_int_equal(run(try_calls, NULL, &c), 0);
	assert_int_equal(heard.nr, 8);
	for (size_t i = 0; i < heard.nr; i++)
		assert_int_equal(heard.said[i], EPERM);
}

static int wait_a_while(void *arg, int out)
{
	(void)arg;
	say_int(out, 1);
	for (volatile unsigned long i = 0; i < 300000000; i++)
		;
	return 0;
}

static uint64_t status_hex(const char *name)
{
	const char *at = strstr(heard.status, name);

	assert_non_null(at);
	return strtoull(at + strlen(name), NULL, 16);
}

static void it_is_nobody_and_has_no_capabilities(void **state)
{
	struct confined c;

	(void)state;
	assert_int_equal(run(wait_a_while, NULL, &c), 0);
	assert_string_not_equal(heard.status, "");
	assert_int_equal(status_hex("CapEff:\t"), 0);
	assert_int_equal(status_hex("CapPrm:\t"), 0);
	assert_int_equal(status_hex("CapInh:\t"), 0);
	assert_int_equal(status_hex("NoNewPrivs:\t"), 1);
	if (!geteuid()) {
		assert_non_null(strstr(heard.status, "Uid:\t65534\t65534\t65534\t65534"));
		assert_non_null(strstr(heard.status, "Gid:\t65534\t65534\t65534\t65534"));
		assert_non_null(strstr(heard.status, "Groups:\t \n"));
	}
}

static int try_descriptor(void *arg, int out)
{
	say_int(out, error_of(fcntl(*(int *)arg, F_GETFD)));
	return 0;
}

static void it_has_no_descriptors_of_ours(void **state)
{
	int secret = open("/etc/passwd", O_RDONLY);
	struct confined c;

	(void)state;
	assert_true(secret >= 0);
	assert_int_equal(run(try_descriptor, &secret, &c), 0);
	close(secret);
	assert_int_equal(heard.nr, 1);
	assert_int_equal(heard.said[0], EBADF);
}

static int take_memory(void *arg, int out)
{
	char *volatile much = malloc(SANDBOX_MEMORY_BYTES + (64 << 20)); /* volatile: or a compiler calls no malloc() */
	char *volatile some = malloc(SANDBOX_MEMORY_BYTES / 2);

	(void)arg;
	say_int(out, !!much);
	say_int(out, !!some);
	return 0;
}

static void it_has_so_much_memory(void **state)
{
	struct confined c;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(run(take_memory, NULL, &c), 0);
	assert_int_equal(heard.nr, 2);
	assert_int_equal(heard.said[0], 0);
	assert_int_equal(heard.said[1], 1);
}

static int say_and_hang(void *arg, int out)
{
	(void)arg;
	say_int(out, 7);
	while (!syscall(SYS_futex, &heard.nr, 0, (int)heard.nr, NULL, NULL, 0))
		;
	return 0;
}

static void it_is_given_up_and_what_it_said_is_kept(void **state)
{
	struct confined c;

	(void)state;
	assert_int_equal(run(say_and_hang, NULL, &c), 0);
	assert_true(c.late);
	assert_int_equal(heard.nr, 1);
	assert_int_equal(heard.said[0], 7);
}

static int say_and_crash(void *arg, int out)
{
	(void)arg;
	say_int(out, 7);
	raise(SIGSEGV);
	__builtin_trap();
}

static void it_may_crash(void **state)
{
	struct confined c;

	(void)state;
	assert_int_equal(run(say_and_crash, NULL, &c), 0);
	assert_false(c.late);
	assert_int_equal(heard.nr, 1);
}

static int stop_at_once(void *ctx)
{
	(void)ctx;
	return 1;
}

static void it_can_be_stopped(void **state)
{
	_cleanup_(closep) int fd = open(binary, O_RDONLY | O_CLOEXEC);
	struct confined c = {.fd = fd, .path = binary, .read = say_and_hang, .take = take, .stop = stop_at_once};

	(void)state;
	memset(&heard, 0, sizeof(heard));
	assert_int_equal(confined_run(&c), -ECANCELED);
}

/* Open each of these, and say why not. */
static int try_files(void *arg, int out)
{
	for (const char *const *path = arg; *path; path++) {
		int fd = open(*path, O_RDONLY);
		char byte;

		say_int(out, fd < 0 ? errno : read(fd, &byte, 1) == 1 ? 0 : EIO);
	}
	return 0;
}

static char *in_folder(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

static void make(const char *name)
{
	_cleanup_(freep) char *path = in_folder(name);
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, ELFMAG, SELFMAG), SELFMAG);
}

static void debug_files_are_opened_for_it_and_nothing_else(void **state)
{
	_cleanup_(freep) char *beside = in_folder("bin/a.debug"), *below = in_folder("bin/.debug/a.debug"),
			      *split = in_folder("elsewhere/a.dwo"), *elsewhere = in_folder("elsewhere/a"),
			      *link = in_folder("bin/link.debug"), *fifo = in_folder("bin/fifo.debug"),
			      *proc = in_folder("bin/proc.debug"), *dots = in_folder("bin/../elsewhere/a"),
			      *device = in_folder("bin/zero.debug");
	const char *paths[] = {beside, below,	      split,	 elsewhere,	    link, fifo, proc, dots,
			       device, "/etc/passwd", "a.debug", SERVERS_FILE "00", NULL};
	struct confined c;

	(void)state;
	make("bin/a.debug");
	make("bin/.debug/a.debug");
	make("elsewhere/a");
	make("elsewhere/a.dwo");
	assert_int_equal(symlink(elsewhere, link), 0);
	assert_int_equal(symlink("/proc/self/status", proc), 0);
	assert_int_equal(symlink("/dev/zero", device), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(run(try_files, paths, &c), 0);
	assert_int_equal(heard.nr, 12);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(heard.said[i], 0);
	for (size_t i = 3; i < 10; i++)
		assert_int_equal(heard.said[i], EACCES);
	assert_int_equal(heard.said[10], ENOENT);
	assert_int_equal(heard.said[11], ENOENT);
}

static void debug_files_of_strangers_are_not_opened(void **state)
{
	_cleanup_(freep) char *beside = in_folder("bin/strange.debug");
	const char *paths[] = {beside, NULL};
	struct confined c;

	(void)state;
	if (geteuid())
		skip();
	make("bin/strange.debug");
	assert_int_equal(chown(beside, 12345, 12345), 0);
	assert_int_equal(run(try_files, paths, &c), 0);
	assert_int_equal(heard.said[0], EACCES);
	assert_int_equal(chown(binary, 12345, 12345), 0); /* then it is no stranger */
	assert_int_equal(run(try_files, paths, &c), 0);
	assert_int_equal(heard.said[0], 0);
}

/* Whoever takes the reader over learns nothing that the binary's owner may not tell everybody. */
static void opener__secrets_and_what_is_no_elf_file_stay_closed(void **state)
{
	_cleanup_(freep) char *secret = in_folder("bin/secret.debug"), *text = in_folder("bin/text.debug"),
			      *open_to_all = in_folder("bin/open.debug");
	const char *paths[] = {secret, text, open_to_all, NULL};
	struct confined c;
	FILE *f;

	(void)state;
	make("bin/secret.debug");
	make("bin/open.debug");
	assert_int_equal(chmod(secret, 0600), 0);
	assert_int_equal(chmod(open_to_all, 0646), 0);
	f = fopen(text, "w");
	fputs("root:*:1\n", f);
	fclose(f);
	assert_int_equal(run(try_files, paths, &c), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(heard.said[i], EACCES);
	/* Of a binary that nobody else may read, debug files that nobody else may read. */
	assert_int_equal(chown(binary, geteuid(), -1), 0);
	assert_int_equal(chmod(binary, 0600), 0);
	assert_int_equal(run(try_files, paths, &c), 0);
	assert_int_equal(heard.said[0], 0);
	assert_int_equal(heard.said[1], EACCES);
	assert_int_equal(chmod(binary, 0644), 0);
}

/* The path is that of a process in a mount namespace of its own, or another file is there by now. */
static void opener__nothing_is_beside_a_binary_that_is_not_there(void **state)
{
	_cleanup_(freep) char *beside = in_folder("bin/a.debug"), *moved = in_folder("elsewhere/moved");
	const char *paths[] = {beside, NULL};
	struct confined c;

	(void)state;
	make("bin/a.debug");
	assert_int_equal(run(try_files, paths, &c), 0);
	assert_int_equal(heard.said[0], 0);
	_cleanup_(closep) int fd = open(binary, O_RDONLY | O_CLOEXEC);
	assert_int_equal(rename(binary, moved), 0);
	make("bin/a");
	memset(&heard, 0, sizeof(heard));
	c = (struct confined){.fd = fd, .path = binary, .arg = paths, .read = try_files, .take = take};
	assert_int_equal(confined_run(&c), 0);
	assert_int_equal(heard.said[0], EACCES);
}

/* A process whose root is @path, until it is killed. */
static pid_t live_in(const char *path)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		if (chroot(path) || chdir("/") || write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void opener__in_a_container_its_own_debug_files_are_opened(void **state)
{
	static const char *const folders[] = {"root", "root/etc", "root/usr", "root/usr/lib", "root/usr/lib/debug"};
	_cleanup_(freep) char *root = in_folder("root"), *there = in_folder("root/etc/a"),
			      *outside = in_folder("elsewhere/a"), *link = in_folder("root/etc/out.debug");
	const char *paths[] = {"/etc/a.debug", "/usr/lib/debug/b.debug", "/etc/shadow", "/etc/passwd",
			       outside,	       "/etc/out.debug",	 NULL};
	_cleanup_(closep) int fd = -1;
	struct confined c;
	pid_t pid;

	(void)state;
	if (geteuid())
		skip();
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		_cleanup_(freep) char *path = in_folder(folders[i]);

		assert_int_equal(mkdir(path, 0755), 0);
	}
	make("root/etc/a");
	make("root/etc/a.debug");
	make("root/usr/lib/debug/b.debug");
	make("elsewhere/a");
	assert_int_equal(symlink(outside, link), 0);
	pid = live_in(root);
	fd = open(there, O_RDONLY | O_CLOEXEC);
	memset(&heard, 0, sizeof(heard));
	c = (struct confined){.fd = fd, .path = "/etc/a", .pid = pid, .arg = paths, .read = try_files, .take = take};
	assert_int_equal(confined_run(&c), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(heard.nr, 6);
	assert_int_equal(heard.said[0], 0);
	assert_int_equal(heard.said[1], 0);
	for (size_t i = 2; i < 6; i++)
		assert_int_not_equal(heard.said[i], 0);
}

static int try_to_write(void *arg, int out)
{
	const char *path = arg;

	say_int(out, error_of(open(path, O_WRONLY)));
	say_int(out, error_of(open(path, O_RDONLY | O_TRUNC)));
	say_int(out, error_of(open(path, O_RDWR | O_CREAT, 0600)));
	return 0;
}

static void nothing_is_opened_for_writing(void **state)
{
	_cleanup_(freep) char *beside = in_folder("bin/a.debug");
	struct confined c;

	(void)state;
	make("bin/a.debug");
	assert_int_equal(run(try_to_write, beside, &c), 0);
	assert_int_equal(heard.nr, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(heard.said[i], EACCES);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chmod(folder, 0755))
		return 1;
	for (const char *const *name = (const char *const[]){"bin", "bin/.debug", "elsewhere", NULL}; *name; name++) {
		_cleanup_(freep) char *path = in_folder(*name);

		if (mkdir(path, 0755))
			return 1;
	}
	snprintf(binary, sizeof(binary), "%s/bin/a", folder);
	make("bin/a");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_may_not_call_what_it_does_not_need),
		cmocka_unit_test(it_is_nobody_and_has_no_capabilities),
		cmocka_unit_test(it_has_no_descriptors_of_ours),
		cmocka_unit_test(it_has_so_much_memory),
		cmocka_unit_test(it_is_given_up_and_what_it_said_is_kept),
		cmocka_unit_test(it_may_crash),
		cmocka_unit_test(it_can_be_stopped),
		cmocka_unit_test(debug_files_are_opened_for_it_and_nothing_else),
		cmocka_unit_test(debug_files_of_strangers_are_not_opened),
		cmocka_unit_test(opener__in_a_container_its_own_debug_files_are_opened),
		cmocka_unit_test(nothing_is_opened_for_writing),
		cmocka_unit_test(opener__secrets_and_what_is_no_elf_file_stay_closed),
		cmocka_unit_test(opener__nothing_is_beside_a_binary_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
