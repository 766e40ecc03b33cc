/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the function found that a JIT had at an address at that time, whatever its dump holds? */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/name.h"
#include "lib/arch/names.h"
#include "lib/process/jitdump.h"
#include "named.h"

#define LOAD 0
#define MOVE 1
#define DEBUG_INFO 2

static struct {
	uint8_t bytes[1 << 16];
	size_t len;
} dump;

static void put(const void *data, size_t len)
{
	assert_true(dump.len + len <= sizeof(dump.bytes));
	memcpy(dump.bytes + dump.len, data, len);
	dump.len += len;
}

static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static void begin(uint32_t header_bytes)
{
	dump.len = 0;
	put32(0x4a695444);
	put32(1);
	put32(header_bytes);
	put32(ARCH_ELF_MACHINE);
	put64(4711ULL << 32);
	put64(0);
	put64(0);
	while (dump.len < header_bytes)
		put("", 1);
}

static void record(uint32_t id, size_t bytes, uint64_t time)
{
	put32(id);
	put32(16 + bytes);
	put64(time);
}

static void load(uint64_t time, uint64_t address, uint64_t size, uint64_t index, const char *name)
{
	record(LOAD, 40 + strlen(name) + 1 + size, time);
	put64(0);
	put64(address);
	put64(address);
	put64(size);
	put64(index);
	put(name, strlen(name) + 1);
	for (uint64_t i = 0; i < size; i++)
		put("\xcc", 1);
}

static void move(uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	record(MOVE, 48, time);
	put64(0);
	put64(to);
	put64(from);
	put64(to);
	put64(size);
	put64(index);
}

static void jitdump_freep(struct jitdump **j)
{
	jitdump_free(*j);
}

/* What the tests ask for, in no order. */
static const uint64_t asked[] = {
	0x5000, 0x1000, 0x1008, 0x100f, 0x1010, 0x1018, 0x1020,		0xfff,	       0x201f, 0x2000,
	0x3000, 0x4000, 0x8008, 0x9008, 0xa008, 0x10,	UINT64_MAX - 7, 0x1000 + 5000, 0x1000,
};
#define NR_ASKED (sizeof(asked) / sizeof(asked[0]))

static int parse(struct jitdump **ret)
{
	_cleanup_(fclosep) FILE *in = fmemopen(dump.bytes, dump.len, "r");

	assert_non_null(in);
	return jitdump_parse(ret, in, asked, NR_ASKED);
}

static struct jitdump *parsed(void)
{
	struct jitdump *j = NULL;

	assert_int_equal(parse(&j), 0);
	return j;
}

static void expect(const struct jitdump *j, uint64_t address, uint64_t time, const char *name, uint64_t start)
{
	struct code_loads loads = {0};

	assert_int_equal(jitdump_loads(j, address, &loads), 0);
	expect_loaded(&loads, time, name, start);
}

static void a_function_is_found_from_its_load_on(void **state)
{
	for (uint32_t header = 40; header <= 48; header += 8) {
		begin(header);
		load(100, 0x1000, 16, 0, "f");
		record(DEBUG_INFO, 24, 110);
		put64(0x2000);
		put64(1);
		put64(7);
		record(77, 0, 120); /* of a version to come */
		load(200, 0x2000, 32, 1, "g h");
		_cleanup_(jitdump_freep) struct jitdump *j = parsed();

		expect(j, 0x1000, 100, "f", 0x1000);
		expect(j, 0x100f, 9999, "f", 0x1000);
		expect(j, 0x1010, 9999, NULL, 0);
		expect(j, 0xfff, 9999, NULL, 0);
		expect(j, 0x1000, 99, NULL, 0);
		expect(j, 0x201f, 200, "g h", 0x2000);
		expect(j, 0x201f, 199, NULL, 0);
	}
}

static void memory_that_is_used_again_is_distinguished_by_time(void **state)
{
	begin(40);
	load(100, 0x1000, 64, 0, "first");
	load(200, 0x1010, 16, 1, "second");
	load(300, 0x1000, 64, 2, "third");
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();

	expect(j, 0x1018, 150, "first", 0x1000);
	expect(j, 0x1018, 250, "second", 0x1010);
	expect(j, 0x1020, 250, "first", 0x1000);
	expect(j, 0x1018, 350, "third", 0x1000);
}

static void a_function_that_moves_is_no_longer_where_it_was(void **state)
{
	begin(40);
	load(100, 0x1000, 16, 5, "f");
	move(200, 0x1000, 0x8000, 16, 5);
	move(300, 0x8000, 0x9000, 16, 5);
	move(300, 0x7000, 0xa000, 16, 6); /* of which nothing is known */
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();

	expect(j, 0x1008, 150, "f", 0x1000);
	expect(j, 0x1008, 200, NULL, 0);
	expect(j, 0x8008, 250, "f", 0x8000);
	expect(j, 0x8008, 300, NULL, 0);
	expect(j, 0x9008, 300, "f", 0x9000);
	expect(j, 0xa008, 300, NULL, 0);
}

/* Only the end of its way is asked for. */
static void a_function_that_came_from_elsewhere_is_found(void **state)
{
	begin(40);
	load(100, 0x77001000, 16, 5, "f");
	load(110, 0x77002000, 16, 6, "other");
	load(120, 0x77003000, 16, 7, "early");
	move(200, 0x77001000, 0x77008000, 16, 5);
	move(300, 0x77008000, 0x9000, 16, 5);
	load(320, 0x77004000, 16, 7, "late"); /* the index goes to another one */
	move(330, 0x77004000, 0x8000, 16, 7);
	load(340, 0x77005000, 16, 8, "old");
	load(350, 0x77006000, 16, 8, ""); /* which has no name */
	move(360, 0x77006000, 0xa000, 16, 8);
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();

	expect(j, 0x9008, 299, NULL, 0);
	expect(j, 0x9008, 300, "f", 0x9000);
	expect(j, 0x8008, 330, "late", 0x8000);
	expect(j, 0xa008, 999, NULL, 0);
}

static void what_makes_no_sense_is_passed_over(void **state)
{
	char name[10000];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	begin(40);
	load(1, 0x1000, 16, 0, "");
	load(1, 0x2000, 0, 1, "empty");
	record(LOAD, 40, 1); /* no room for a name */
	for (int i = 0; i < 5; i++)
		put64(0x3000);
	record(LOAD, 44, 1); /* a name without end */
	for (int i = 0; i < 5; i++)
		put64(0x10);
	put("abcd", 4);
	record(MOVE, 8, 1);
	put64(0);
	load(1, UINT64_MAX - 7, 16, 2, "wraps");
	load(1, 0x4000, 16, 3, name);
	load(1, 0x5000, 16, 4, "good");
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();
	_cleanup_(code_loads_done) struct code_loads loads = {0};

	expect(j, 0x1000, 9, NULL, 0);
	expect(j, 0x2000, 9, NULL, 0);
	expect(j, 0x3000, 9, NULL, 0);
	expect(j, 0x10, 9, NULL, 0);
	expect(j, UINT64_MAX - 7, 9, NULL, 0);
	assert_int_equal(jitdump_loads(j, 0x4000, &loads), 0);
	assert_int_equal(loads.nr, 1);
	assert_true(name_was_cut(loads.v[0].name));
	expect(j, 0x5000, 9, "good", 0x5000);
}

static void wherever_it_is_cut_the_whole_records_are_read(void **state)
{
	size_t len, first;

	begin(40);
	load(1, 0x1000, 16, 0, "first");
	first = dump.len;
	load(1, 0x2000, 16, 1, "second");
	len = dump.len;
	for (size_t cut = 40; cut < len; cut++) {
		dump.len = cut;
		_cleanup_(jitdump_freep) struct jitdump *j = parsed();

		/* The name is enough. */
		expect(j, 0x1000, 1, cut >= first - 16 ? "first" : NULL, 0x1000);
		expect(j, 0x2000, 1, cut >= len - 16 ? "second" : NULL, 0x2000);
	}
	for (size_t cut = 1; cut < 40; cut++) {
		struct jitdump *j;

		dump.len = cut;
		assert_int_equal(parse(&j), -EINVAL);
	}
}

static void other_files_are_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} wrong[] = {{0, 'x'}, {4, 2}, {8, 39}, {12, EM_386}};
	struct jitdump *j;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		begin(40);
		dump.bytes[wrong[i].at] = wrong[i].byte;
		assert_int_equal(parse(&j), -EINVAL);
	}
}

/* As CPython 3.13 writes it. */
static void a_dump_without_a_machine_is_of_this_one(void **state)
{
	begin(40);
	memset(dump.bytes + 12, 0, 4);
	load(100, 0x1000, 16, 0, "py::f");
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();

	expect(j, 0x1008, 200, "py::f", 0x1000);
}

static void of_another_clock_only_what_never_changed_is_known(void **state)
{
	begin(40);
	dump.bytes[32] = 1;
	load(100, 0x1000, 16, 0, "always");
	load(200, 0x2000, 32, 1, "first");
	load(300, 0x2000, 32, 2, "second");
	load(400, 0x3000, 16, 3, "moved");
	move(500, 0x3000, 0x4000, 16, 3);
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();

	for (uint64_t time = 1; time < 1000; time += 50) {
		expect(j, 0x1008, time, "always", 0x1000);
		expect(j, 0x201f, time, NULL, 0);
		expect(j, 0x4000, time, "moved", 0x4000);
	}
}

static void of_many_overlaps_the_latest_counts(void **state)
{
	begin(40);
	for (uint64_t i = 0; i < 900; i++) { /* each covers all that come after it */
		record(LOAD, 40 + 2, i);
		put64(0);
		put64(0x1000 + i);
		put64(0x1000 + i);
		put64(100000 - i);
		put64(i);
		put("f", 2);
	}
	_cleanup_(jitdump_freep) struct jitdump *j = parsed();

	expect(j, 0x1000 + 5000, 9999, "f", 0x1000 + 899);
	expect(j, 0x1000 + 5000, 7, "f", 0x1000 + 7);
}

static void the_dump_of_a_process_is_the_one_that_it_maps(void **state)
{
	char dir[] = "/tmp/dusk-jitdump-XXXXXX", path[64];
	_cleanup_(jitdump_freep) struct jitdump *j = NULL;
	void *mark;
	int fd;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	begin(40);
	load(1, 0x1000, 16, 0, "f");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, dump.bytes, dump.len), dump.len);
	assert_int_equal(jitdump_open(getpid()), -ENOENT);
	mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(mark != MAP_FAILED);
	close(fd);

	fd = jitdump_open(getpid());
	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 13, SEEK_SET), 13);
	assert_int_equal(jitdump_read(&j, fd, asked, NR_ASKED), 0);
	expect(j, 0x1000, 1, "f", 0x1000);
	close(fd);

	if (!chown(path, 12345, 12345))
		assert_int_equal(jitdump_open(getpid()), -EPERM);
	unlink(path);
	assert_int_equal(jitdump_open(getpid()), -ENOENT);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600); /* another file by that name */
	close(fd);
	assert_int_equal(jitdump_open(getpid()), -ENOENT);
	munmap(mark, 4096);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_found_from_its_load_on),
		cmocka_unit_test(memory_that_is_used_again_is_distinguished_by_time),
		cmocka_unit_test(a_function_that_moves_is_no_longer_where_it_was),
		cmocka_unit_test(a_function_that_came_from_elsewhere_is_found),
		cmocka_unit_test(what_makes_no_sense_is_passed_over),
		cmocka_unit_test(wherever_it_is_cut_the_whole_records_are_read),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_dump_without_a_machine_is_of_this_one),
		cmocka_unit_test(of_another_clock_only_what_never_changed_is_known),
		cmocka_unit_test(of_many_overlaps_the_latest_counts),
		cmocka_unit_test(the_dump_of_a_process_is_the_one_that_it_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
