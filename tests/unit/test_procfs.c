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

#include "lib/procfs.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_leads_to_its_file),
		cmocka_unit_test(memory_without_a_file_leads_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
