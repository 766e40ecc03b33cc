/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do records of events become the text that the kernel would print, one line whatever is in them, and no byte more? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "formats.h"
#include "lib/record/fields.h"

static struct fields *fields;

static int begin(void **state)
{
	return fields_new(&fields);
}

static int end(void **state)
{
	fields_free(fields);
	return 0;
}

static struct record_shape learn(const char *group, const char *format)
{
	struct record_shape shape;

	assert_int_equal(fields_learn(fields, group, format, strlen(format), &shape), 0);
	return shape;
}

/* The record is in memory of its own, so that a read beyond it is seen. */
static void prints(uint32_t number, const void *record, size_t bytes, bool cut, const char *want)
{
	void *own = malloc(bytes ? bytes : 1);
	char *text = NULL;

	assert_non_null(own);
	memcpy(own, record, bytes);
	assert_int_equal(fields_text(&text, fields, number, own, bytes, cut), 0);
	assert_string_equal(text, want);
	free(text);
	free(own);
}

struct exec {
	uint64_t common;
	uint32_t filename;
	int32_t pid, old_pid;
	char text[64];
};

#define EXEC_BYTES offsetof(struct exec, text)

static struct exec exec_of(const char *name, size_t len)
{
	struct exec e = {.filename = len << 16 | EXEC_BYTES, .pid = 12, .old_pid = 13};

	memcpy(e.text, name, len);
	return e;
}

static void a_string_of_any_length_is_printed(void **state)
{
	struct record_shape shape = learn("sched", EXEC_FORMAT);
	struct exec e = exec_of("/bin/true", 10);

	assert_int_equal(shape.bytes, EXEC_BYTES);
	assert_int_equal(shape.nr_dynamic, 1);
	assert_int_equal(shape.dynamic[0], 8);
	assert_false(shape.in_syscall);
	prints(0, &e, EXEC_BYTES + 10, false, "filename=/bin/true pid=12 old_pid=13");
}

static void numbers_are_printed_as_the_kernel_does(void **state)
{
	struct record_shape shape = learn("syscalls", OPENAT_FORMAT);
	struct {
		uint64_t common, nr, dfd, filename, flags, mode;
	} r = {0xffffffffffffffff, 257, -100ULL, 0x7f0012345678, 0x80000, 0644};

	assert_int_equal(shape.bytes, 48);
	assert_int_equal(shape.nr_dynamic, 0);
	assert_true(shape.in_syscall);
	prints(0, &r, sizeof(r), false,
	       "dfd: 0xffffffffffffff9c, filename: 0x7f0012345678, flags: 0x00080000, mode: 0x000001a4");
}

static void events_keep_their_numbers_apart(void **state)
{
	struct exec e = exec_of("/bin/sh", 8);
	struct {
		uint64_t common;
		char comm[16];
		int32_t pid, child;
	} r = {0, "kworker/0:1", 5, 6};

	learn("sched", EXEC_FORMAT);
	learn("test", PAIR_FORMAT);
	prints(1, &r, sizeof(r), false, "comm=kworker/0:1 pid=5 state=child");
	prints(0, &e, EXEC_BYTES + 8, false, "filename=/bin/sh pid=12 old_pid=13");
	r.child = 7;
	prints(1, &r, sizeof(r), false, "comm=kworker/0:1 pid=5 state=0x7");
}

/* What would print it reads beyond the record, wherever the index says. */
static void an_index_out_of_the_record_is_not_followed(void **state)
{
	struct {
		uint64_t common;
		char comm[16];
		int32_t pid, state;
	} r = {0, "sh", 1 << 30, 3};

	learn("test", INDEX_FORMAT);
	prints(0, &r, sizeof(r), false, "comm=sh pid=1073741824 state=3");
}

static void what_is_no_text_is_escaped(void **state)
{
	static const char name[] = "a\nb\033[31m\xff\x7f\xc3\xa9\xe2\x82";
	struct exec e = exec_of(name, sizeof(name));

	learn("sched", EXEC_FORMAT);
	prints(0, &e, EXEC_BYTES + sizeof(name), false,
	       "filename=a\\x0ab\\x1b[31m\\xff\\x7f\xc3\xa9\\xe2\\x82 pid=12 old_pid=13");
}

static void a_string_that_is_cut_is_printed_as_far_as_it_is_there(void **state)
{
	struct exec e = exec_of("/very/long/name", 16);

	learn("sched", EXEC_FORMAT);
	prints(0, &e, EXEC_BYTES + 5, true, "filename=/very pid=12 old_pid=13 ...");
	prints(0, &e, EXEC_BYTES, true, "filename= pid=12 old_pid=13 ...");
	prints(0, &e, EXEC_BYTES, false, "filename= pid=12 old_pid=13");
}

static void what_a_record_says_of_places_that_it_has_not_is_not_believed(void **state)
{
	struct exec e = exec_of("/bin/true", 10);

	learn("sched", EXEC_FORMAT);
	e.filename = 0xffffffff;
	prints(0, &e, EXEC_BYTES + 10, false, "filename= pid=12 old_pid=13");
	e.filename = 0xffffU << 16 | (uint32_t)EXEC_BYTES;
	prints(0, &e, EXEC_BYTES + 10, false, "filename=/bin/true pid=12 old_pid=13");
	e.filename = 0x0001ffff;
	prints(0, &e, EXEC_BYTES + 10, false, "filename= pid=12 old_pid=13");
	prints(0, &e, 9, false, "filename= pid=0 old_pid=0");
}

static void a_relative_place_counts_from_behind_itself(void **state)
{
	struct record_shape shape = learn("test", RELATIVE_FORMAT);
	struct {
		uint64_t common;
		uint32_t name;
		int32_t pid;
		char text[8];
	} r = {0, 6 << 16 | 4, 3, "hello"};

	assert_int_equal(shape.nr_dynamic, 1);
	assert_int_equal(shape.dynamic[0], 8 | DYNAMIC_RELATIVE);
	prints(0, &r, 22, false, "name=hello pid=3");
	prints(0, &r, 19, true, "name=hel pid=3 ...");
	r.name = 0xffffffff;
	prints(0, &r, 22, false, "name= pid=3");
}

/* Of numbers in the record none says how far is read: then each field is printed by its name. */
static void a_format_that_reads_as_much_as_the_record_says_is_not_followed(void **state)
{
	struct {
		uint64_t common;
		uint32_t data, len;
		uint8_t bytes[4];
	} r = {0, 4 << 16 | 16, UINT32_MAX, {1, 2, 3, 4}};
	char *text;

	learn("test", HEX_FORMAT);
	assert_int_equal(fields_text(&text, fields, 0, &r, sizeof(r), false), 0);
	assert_non_null(strstr(text, "len=4294967295"));
	assert_true(strlen(text) < 100);
	free(text);
}

static void a_format_that_is_not_understood_leaves_its_fields(void **state)
{
	struct {
		uint64_t common;
		int32_t pid, more;
	} r = {0, 3, 4};

	learn("test", STRANGE_FORMAT);
	prints(0, &r, sizeof(r), false, "pid=3 more=4");
}

static void what_is_no_format_is_refused(void **state)
{
	static const char *const texts[] = {"", "name", "name: x\nID: nothing\n",
					    "name: x\nID: 7\nformat:\n\tfield:int a;\n"};
	struct record_shape shape;
	char *text;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (fields_learn(fields, "test", texts[i], strlen(texts[i]), &shape) != -EINVAL)
			fail_msg("a format: %s", texts[i]);
	assert_int_equal(fields_text(&text, fields, 0, "", 0, false), -EINVAL);
}

static void an_event_without_a_record_has_no_fields(void **state)
{
	learn("sched", EXEC_FORMAT);
	prints(0, "", 0, false, "");
}

static void a_record_that_is_too_long_is_refused(void **state)
{
	static const char record[RECORD_BYTES + 1];
	char *text;

	learn("sched", EXEC_FORMAT);
	assert_int_equal(fields_text(&text, fields, 0, record, sizeof(record), false), -EINVAL);
	assert_int_equal(fields_text(&text, fields, 1, record, 8, false), -EINVAL);
}

/* Each byte becomes four. */
static void a_text_has_an_end(void **state)
{
	struct {
		struct exec head;
		char more[RECORD_BYTES - sizeof(struct exec)];
	} r = {exec_of("", 0), {0}};
	char *text;

	learn("sched", EXEC_FORMAT);
	memset(r.head.text, 1, RECORD_BYTES - EXEC_BYTES);
	r.head.filename = (uint32_t)(RECORD_BYTES - EXEC_BYTES) << 16 | (uint32_t)EXEC_BYTES;
	assert_int_equal(fields_text(&text, fields, 0, &r, RECORD_BYTES, false), 0);
	assert_true(strlen(text) > 4000 && strlen(text) < 4200);
	free(text);
}

int main(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		test(a_string_of_any_length_is_printed),
		test(numbers_are_printed_as_the_kernel_does),
		test(events_keep_their_numbers_apart),
		test(an_index_out_of_the_record_is_not_followed),
		test(what_is_no_text_is_escaped),
		test(a_string_that_is_cut_is_printed_as_far_as_it_is_there),
		test(what_a_record_says_of_places_that_it_has_not_is_not_believed),
		test(a_relative_place_counts_from_behind_itself),
		test(a_format_that_reads_as_much_as_the_record_says_is_not_followed),
		test(a_format_that_is_not_understood_leaves_its_fields),
		test(what_is_no_format_is_refused),
		test(an_event_without_a_record_has_no_fields),
		test(a_record_that_is_too_long_is_refused),
		test(a_text_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
