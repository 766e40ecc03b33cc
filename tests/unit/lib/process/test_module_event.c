/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel side tells of a module, and which file that is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "lib/process/identity.h"
#include "lib/process/module_event.h"

#define BYTES 4096

static char path[64];

static int make_file(void **state)
{
	strcpy(path, "/tmp/dusk-met-XXXXXX");
	_cleanup_(closep) int fd = mkstemp(path);

	return fd < 0 || ftruncate(fd, BYTES);
}

static int remove_file(void **state)
{
	return unlink(path);
}

/* The file, as @pid has met it; without a build id. */
static struct event_module event_of(pid_t pid)
{
	struct event_module e = {.pid = pid, .path_start = PATH_BYTES - strlen(path), .generation = 7};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	e.ino = st.st_ino;
	e.owner = st.st_uid;
	e.size = st.st_size;
	e.dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	memcpy(e.path + e.path_start, path, strlen(path));
	return e;
}

static pid_t gone(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void a_module_has_the_path_and_the_number_of_its_file(void **state)
{
	struct event_module e = event_of(1234);
	struct stat st;
	struct module_event m;

	e.build_id_bytes = 3;
	memcpy(e.build_id, "\x00\xab\x1f", 3);
	module_event_read(&m, &e);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(m.module.kind, DUSK_MODULE_FILE);
	assert_string_equal(m.module.path, path);
	assert_string_equal(m.module.build_id, "00ab1f");
	assert_int_equal(m.module.dev, st.st_dev);
	assert_int_equal(m.module.ino, st.st_ino);
	assert_int_equal(m.module.pid, 1234);
	assert_int_equal(m.module.generation, 7);
}

static void the_vdso_is_no_file(void **state)
{
	struct event_module e = event_of(getpid());
	struct module_event m;

	e.vdso = 1;
	module_event_read(&m, &e);
	assert_int_equal(m.module.kind, DUSK_MODULE_VDSO);
	assert_string_equal(m.module.path, "[vdso]");
	assert_int_equal(m.module.ino, 0);
	assert_int_equal(module_event_open(&m, &e), -ENOENT);
}

static void a_path_that_did_not_come_is_asked_of_the_process(void **state)
{
	struct event_module e = event_of(getpid());
	_cleanup_(closep) int fd = open(path, O_RDONLY);
	char *p = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0), number[32];
	struct module_event m;

	assert_ptr_not_equal(p, MAP_FAILED);
	e.path_start = PATH_BYTES;
	e.start = (uintptr_t)p;
	e.end = e.start + BYTES;
	module_event_read(&m, &e);
	assert_string_equal(m.path, path);
	munmap(p, BYTES);
	module_event_read(&m, &e);
	snprintf(number, sizeof(number), "[inode %llu]", e.ino);
	assert_string_equal(m.path, number);
	assert_int_equal(module_event_open(&m, &e), -ENOENT);
}

static void a_file_is_found_when_its_process_is_gone(void **state)
{
	pid_t pid = gone();
	struct event_module e = event_of(pid);
	struct module_event m;

	module_event_read(&m, &e);
	for (int parent_lives = 0; parent_lives <= 1; parent_lives++) {
		_cleanup_(closep) int fd = -1;

		e.parent = parent_lives ? getpid() : pid;
		fd = module_event_open(&m, &e);
		assert_true(fd >= 0);
		assert_true(identity_recorded(&m.module, fd));
	}
}

/* As a program that was upgraded before the recording: its file is there for those that run it, but has no path. */
static void module_event__a_removed_file_is_found_by_its_mapping(void **state)
{
	struct event_module e = event_of(getpid());
	_cleanup_(closep) int file = open(path, O_RDONLY), fd = -1, other = -1;
	char *p = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, file, 0);
	struct module_event m;

	if (geteuid())
		skip(); /* CAP_CHECKPOINT_RESTORE */
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(unlink(path), 0);
	other = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	e.start = (uintptr_t)p;
	e.end = e.start + BYTES;
	module_event_read(&m, &e);
	fd = module_event_open(&m, &e);
	assert_true(fd >= 0 && identity_recorded(&m.module, fd));
	/* Where another file is mapped by now there is none. */
	assert_int_equal(ftruncate(other, 2 * BYTES), 0);
	assert_ptr_equal(mmap(p, BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, other, 0), p);
	assert_int_equal(module_event_open(&m, &e), -ENOENT);
	munmap(p, BYTES);
	assert_int_equal(ftruncate(other, BYTES), 0);
}

/* The program itself needs no mapping that is known, and no capability. */
static void module_event__a_removed_program_is_found_by_its_process(void **state)
{
	struct event_module e = event_of(getpid());
	_cleanup_(closep) int fd = -1;
	struct module_event m;
	struct stat st;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	e.ino = st.st_ino;
	e.dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	module_event_read(&m, &e);
	fd = module_event_open(&m, &e);
	assert_true(fd >= 0 && identity_recorded(&m.module, fd));
}

static void another_file_at_the_same_path_is_not_the_one(void **state)
{
	struct event_module e = event_of(getpid());
	_cleanup_(closep) int old = -1, fd = -1;
	struct module_event m;

	module_event_read(&m, &e);
	old = module_event_open(&m, &e); /* so that its inode is not used again */
	assert_true(identity_recorded(&m.module, old));
	assert_int_equal(unlink(path), 0);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_false(identity_recorded(&m.module, fd));
	assert_true(identity_recorded(&m.module, old));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_has_the_path_and_the_number_of_its_file),
		cmocka_unit_test(the_vdso_is_no_file),
		cmocka_unit_test(a_path_that_did_not_come_is_asked_of_the_process),
		cmocka_unit_test(a_file_is_found_when_its_process_is_gone),
		cmocka_unit_test(module_event__a_removed_file_is_found_by_its_mapping),
		cmocka_unit_test(module_event__a_removed_program_is_found_by_its_process),
		cmocka_unit_test(another_file_at_the_same_path_is_not_the_one),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
