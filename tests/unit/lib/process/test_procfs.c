/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/process/procfs.h"

#define BYTES 8192

static void a_mapping_leads_to_its_file(void **state)
{
	char path[] = "/tmp/dusk-procfs-XXXXXX", found[PATH_MAX] = "untouched";
	int fd = mkstemp(path);
	uintptr_t start;
	char *p;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, BYTES), 0);
	p = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	start = (uintptr_t)p;
	assert_int_equal(procfs_mapped_path(getpid(), start, start + BYTES, found, strlen(path)), -ENAMETOOLONG);
	assert_string_equal(found, "untouched");
	assert_int_equal(procfs_mapped_path(getpid(), start, start + BYTES, found, sizeof(found)), 0);
	assert_string_equal(found, path);
	assert_int_equal(procfs_mapped_path(getpid(), start, start + BYTES / 2, found, sizeof(found)), -ENOENT);
	munmap(p, BYTES);
	assert_int_equal(procfs_mapped_path(getpid(), start, start + BYTES, found, sizeof(found)), -ENOENT);
	unlink(path);
	close(fd);
}

static void memory_without_a_file_leads_nowhere(void **state)
{
	char *p = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), found[PATH_MAX];

	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(procfs_mapped_path(getpid(), (uintptr_t)p, (uintptr_t)p + BYTES, found, sizeof(found)),
			 -ENOENT);
	munmap(p, BYTES);
}

static void procfs__copies_count_until_they_are_closed(void **state)
{
	int other = memfd_create("other", MFD_CLOEXEC), copy = memfd_create(PROCFS_COPY_NAME, MFD_CLOEXEC);

	assert_true(other >= 0 && copy >= 0);
	assert_int_equal(ftruncate(other, BYTES), 0);
	assert_int_equal(ftruncate(copy, 3 * BYTES), 0);
	assert_int_equal(procfs_copies_bytes(), 3 * BYTES);
	close(copy);
	assert_int_equal(procfs_copies_bytes(), 0);
	close(other);
}

/* The kernel makes them up when they are read, and some of them then wait for ever. */
static void what_is_no_file_on_a_disk_is_not_opened(void **state)
{
	char link[] = "/tmp/dusk-procfs-XXXXXX";

	assert_int_equal(procfs_open_file("/proc/version"), -EINVAL);
	assert_int_equal(procfs_open_in_root(getpid(), "/proc/version"), -EINVAL);
	assert_int_equal(procfs_open_file("/proc/kmsg"), -EINVAL);
	assert_int_equal(procfs_open_file("/sys/kernel/uevent_seqnum"), -EINVAL);
	assert_non_null(mkdtemp(link));
	rmdir(link);
	assert_int_equal(symlink("/proc/kmsg", link), 0);
	assert_int_equal(procfs_open_file(link), -EINVAL);
	unlink(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_leads_to_its_file),
		cmocka_unit_test(memory_without_a_file_leads_nowhere),
		cmocka_unit_test(procfs__copies_count_until_they_are_closed),
		cmocka_unit_test(what_is_no_file_on_a_disk_is_not_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
