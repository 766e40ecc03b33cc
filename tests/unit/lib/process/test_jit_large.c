/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a JIT wrote may be as large as its process likes: is the memory bounded that it takes to read it, and the work?
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "lib/arch/names.h"
#include "lib/process/jitdump.h"
#include "lib/process/perfmap.h"
#include "named.h"

#define MIB (1L << 20)
#define BOUND_KIB (48 * 1024)
#define KEPT_KIB (64 * 1024) /* the lines and names that a reader may keep of one address */

#ifdef __SANITIZE_ADDRESS__
/* What was freed is free at once: else it counts as the reader's. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}
#endif

static const uint64_t asked[] = {0x5008, 0x1008, 0x9008};
#define NR_ASKED 3

/* The most that this process has had in memory. */
static long most_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static FILE *new_file(void)
{
	int fd = memfd_create("large", MFD_CLOEXEC);
	FILE *f = fdopen(fd, "w+");

	assert_non_null(f);
	return f;
}

static void expect_name(const struct perfmap *m, uint64_t address, const char *name, uint64_t start)
{
	struct perfmap_mark all = {UINT64_MAX, 1, 1};
	struct code_loads loads = {0};

	assert_int_equal(perfmap_loads(m, &(struct perfmap_marks){&all, 1, 1}, address, &loads), 0);
	expect_loaded(&loads, 1000, name, start);
}

static void a_map_of_many_functions_takes_as_much_as_is_asked_for(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct perfmap *m;
	long before;

	fputs("1000 10 first\n5000 10 replaced\n", f);
	while (ftell(f) < 180 * MIB)
		for (uint64_t i = 0; i < 100000; i++)
			fprintf(f, "%jx 10 a function of a name that is of no use to anybody\n",
				(uintmax_t)(0x700000000 + i * 16));
	fputs("5000 10 last\n", f);
	fflush(f);
	before = most_kib();
	assert_int_equal(perfmap_read(&m, fileno(f), asked, NR_ASKED), 0);
	assert_true(most_kib() - before < BOUND_KIB);
	expect_name(m, 0x1008, "first", 0x1000);
	expect_name(m, 0x5008, "last", 0x5000);
	expect_name(m, 0x9008, NULL, 0);
	perfmap_free(m);
}

static void a_map_with_a_hole_is_read_on_behind_it(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct perfmap *m;
	long before;

	fputs("1000 10 first\n", f);
	fflush(f);
	assert_int_equal(ftruncate(fileno(f), 200 * MIB), 0);
	fseek(f, 0, SEEK_END);
	fputs("\n9000 10 behind\n", f);
	fflush(f);
	before = most_kib();
	assert_int_equal(perfmap_read(&m, fileno(f), asked, NR_ASKED), 0);
	assert_true(most_kib() - before < BOUND_KIB);
	expect_name(m, 0x1008, "first", 0x1000);
	expect_name(m, 0x9008, "behind", 0x9000);
	perfmap_free(m);
}

static void a_map_with_too_much_at_one_address_has_no_names(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct perfmap *m;
	long before;

	while (ftell(f) < 180 * MIB)
		for (uint64_t i = 0; i < 100000; i++)
			fprintf(f, "5000 10 a name that no other line of this map has %ju\n", (uintmax_t)(ftell(f)));
	fflush(f);
	before = most_kib();
	assert_int_equal(perfmap_read(&m, fileno(f), asked, NR_ASKED), -EFBIG);
	assert_true(most_kib() - before < BOUND_KIB + KEPT_KIB);
}

static void a_map_that_is_too_large_has_no_names(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct perfmap *m;

	fputs("1000 10 first\n", f);
	fflush(f);
	assert_int_equal(ftruncate(fileno(f), 1024 * MIB), 0);
	assert_int_equal(perfmap_read(&m, fileno(f), asked, NR_ASKED), -EFBIG);
}

static void begin_dump(FILE *f)
{
	const uint32_t head[10] = {0x4a695444, 1, 40, ARCH_ELF_MACHINE};

	fwrite(head, sizeof(head), 1, f);
}

/* A function of 16 bytes, and @more that its record has behind the name, which is not written. */
static void load(FILE *f, uint64_t address, const char *name, uint32_t more)
{
	struct {
		uint32_t id, bytes;
		uint64_t time, pid, vma, address, size, index;
	} r = {0, sizeof(r) + strlen(name) + 1 + more, 1, 0, address, address, 16, address};

	fwrite(&r, sizeof(r), 1, f);
	fwrite(name, strlen(name) + 1, 1, f);
	if (more)
		fseek(f, more, SEEK_CUR);
}

/* A name of 4,000 bytes that no other one is. */
static const char *long_name(uint64_t i)
{
	static char name[4001];

	memset(name, 'N', sizeof(name) - 1);
	snprintf(name, sizeof(name), "%012ju", (uintmax_t)i);
	name[12] = 'N';
	return name;
}

static void a_dump_of_many_functions_takes_as_much_as_is_asked_for(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct code_loads loads = {0};
	struct jitdump *j;
	long before;

	begin_dump(f);
	for (uint64_t i = 0; i < 180 * MIB / 4000; i++)
		load(f, 0x700000000 + i * 16, long_name(i), 0);
	load(f, 0x5000, "f", 0);
	fflush(f);
	before = most_kib();
	assert_int_equal(jitdump_read(&j, fileno(f), asked, NR_ASKED), 0);
	assert_true(most_kib() - before < BOUND_KIB);
	assert_int_equal(jitdump_loads(j, 0x5008, &loads), 0);
	expect_loaded(&loads, 1, "f", 0x5000);
	jitdump_free(j);
}

static void a_dump_with_too_much_at_one_address_has_no_names(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct jitdump *j;
	long before;

	begin_dump(f);
	for (uint64_t i = 0; i < 180 * MIB / 4000; i++)
		load(f, 0x5000, long_name(i), 0);
	fflush(f);
	before = most_kib();
	assert_int_equal(jitdump_read(&j, fileno(f), asked, NR_ASKED), -EFBIG);
	assert_true(most_kib() - before < BOUND_KIB + 32 * 1024); /* the names that it may keep */
}

static void a_dump_that_is_too_large_has_no_names(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	struct jitdump *j;

	begin_dump(f);
	load(f, 0x5000, "f", 900 * MIB);
	load(f, 0x7000, "g", 900 * MIB);
	load(f, 0x5000, "h", 0);
	fflush(f);
	assert_int_equal(jitdump_read(&j, fileno(f), asked, NR_ASKED), -EFBIG);
}

static void a_dump_of_too_many_records_has_no_names(void **state)
{
	_cleanup_(fclosep) FILE *f = new_file();
	const struct {
		uint32_t id, bytes;
		uint64_t time;
	} nothing = {77, 16, 0};
	struct jitdump *j;

	begin_dump(f);
	for (int i = 0; i <= 1 << 22; i++)
		fwrite(&nothing, sizeof(nothing), 1, f);
	fflush(f);
	assert_int_equal(jitdump_read(&j, fileno(f), asked, NR_ASKED), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_of_many_functions_takes_as_much_as_is_asked_for),
		cmocka_unit_test(a_map_with_a_hole_is_read_on_behind_it),
		cmocka_unit_test(a_map_with_too_much_at_one_address_has_no_names),
		cmocka_unit_test(a_map_that_is_too_large_has_no_names),
		cmocka_unit_test(a_dump_of_many_functions_takes_as_much_as_is_asked_for),
		cmocka_unit_test(a_dump_with_too_much_at_one_address_has_no_names),
		cmocka_unit_test(a_dump_that_is_too_large_has_no_names),
		cmocka_unit_test(a_dump_of_too_many_records_has_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
