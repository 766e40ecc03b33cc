/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the kernel's functions found by their addresses? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/symbols/ksyms.h"

static void ksyms_freep(struct ksyms **k)
{
	ksyms_free(*k);
}

static const char specimen[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t local_alias\n"
			       "ffffffff81000100 T schedule\n"
			       "ffffffff81000180 D some_data\n"
			       "ffffffff81000200 W weak_one\n"
			       "ffffffffc0000000 t ext4_readdir\t[ext4]\n"
			       "ffffffffc0900000 t bpf_prog_0123456789abcdef_sample\t[bpf]\n";

static void expect(const struct ksyms *k, uint64_t address, const char *name, uint64_t start, const char *module)
{
	const char *found_module = NULL, *found;
	uint64_t found_start = 0;

	found = ksyms_find(k, address, &found_start, &found_module);
	assert_non_null(found);
	assert_string_equal(found, name);
	assert_string_equal(found_module, module);
	assert_true(found_start == start);
}

static void functions_modules_and_programs_are_found(void **state)
{
	_cleanup_(ksyms_freep) struct ksyms *k = NULL;
	const char *module;
	uint64_t start;

	(void)state;
	assert_int_equal(ksyms_parse(&k, strdup(specimen), strlen(specimen)), 0);
	expect(k, 0xffffffff81000100, "schedule", 0xffffffff81000100, "[kernel]");
	/* Data is no function, so it ends none. */
	expect(k, 0xffffffff810001ff, "schedule", 0xffffffff81000100, "[kernel]");
	expect(k, 0xffffffff81000200, "weak_one", 0xffffffff81000200, "[kernel]");
	expect(k, 0xffffffffc0000010, "ext4_readdir", 0xffffffffc0000000, "[ext4]");
	expect(k, 0xffffffffc0900004, "bpf_prog_0123456789abcdef_sample", 0xffffffffc0900000, "[bpf]");
	assert_null(ksyms_find(k, 0xffffffff80ffffff, &start, &module));
	/* Between the kernel and its modules there is no function, however long the gap. */
	assert_null(ksyms_find(k, 0xffffffffa0000000, &start, &module));
	assert_null(ksyms_find(k, UINT64_MAX, &start, &module));
}

static void order_does_not_matter(void **state)
{
	static const char text[] = "ffffffff81000200 T second\nffffffff81000100 T first\n";
	_cleanup_(ksyms_freep) struct ksyms *k = NULL;

	(void)state;
	assert_int_equal(ksyms_parse(&k, strdup(text), strlen(text)), 0);
	expect(k, 0xffffffff81000150, "first", 0xffffffff81000100, "[kernel]");
	expect(k, 0xffffffff81000250, "second", 0xffffffff81000200, "[kernel]");
}

static void hidden_addresses_are_distinguished_from_none(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T schedule\n";
	struct ksyms *k = NULL;

	(void)state;
	assert_int_equal(ksyms_parse(&k, strdup(hidden), strlen(hidden)), -EPERM);
	assert_null(k);
}

static void garbage_is_passed_over(void **state)
{
	static const char text[] = "\n\nnonsense\nffffffff81000100\nffffffff81000100 \nffffffff81000100 T\n"
				   "ffffffff81000100 T \nffffffff81000100 T \t[x]\n"
				   "fffffffffffffffffffffffffff T toolarge\nffffffff81000300 T good";
	_cleanup_(ksyms_freep) struct ksyms *k = NULL;
	const char *module;
	uint64_t start;

	(void)state;
	assert_int_equal(ksyms_parse(&k, strdup(text), strlen(text)), 0);
	expect(k, 0xffffffff81000310, "good", 0xffffffff81000300, "[kernel]");
	assert_null(ksyms_find(k, 0xffffffff81000200, &start, &module));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_modules_and_programs_are_found),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(hidden_addresses_are_distinguished_from_none),
		cmocka_unit_test(garbage_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
