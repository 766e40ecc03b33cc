/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do mangled names read as they were written, and do hostile ones do no harm? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/demangle.h"

static void each_language_is_read(void **state)
{
	static const struct {
		const char *symbol, *name;
	} table[] = {
		{"_ZN3foo3barEi", "foo::bar"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back"},
		{"_ZN1AC1Ev", "A::A"},
		{"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
		/* Rust, the older scheme: the hash is not shown. */
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		/* Rust v0. */
		{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
		{"_RNvC6_123foo3bar", "123foo::bar"},
		{"_D4test3fooFZv", "test.foo()"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *name = demangle(table[i].symbol);

		assert_non_null(name);
		assert_string_equal(name, table[i].name);
		free(name);
	}
}

static void demangle_symbol__leaves_out_versions_and_keeps_the_mark_of_stubs(void **state)
{
	static const struct {
		const char *symbol, *name;
	} table[] = {
		{"main", "main"},
		{"memcpy@@GLIBC_2.14", "memcpy"},
		{"memcpy@GLIBC_2.2.5", "memcpy"},
		{"memcpy@plt", "memcpy@plt"},
		{"_ZN3foo3barEi@plt", "foo::bar@plt"},
		{"_ZN3foo3barEi@@V1", "foo::bar"},
		{"a@plt2", "a"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *name = demangle_symbol(table[i].symbol, MANGLING_MARKED);

		assert_string_equal(name, table[i].name);
		free(name);
	}
}

static void names_of_c_are_left_alone(void **state)
{
	static const char *const names[] = {
		"",
		"_",
		"__",
		"main",
		"_start",
		"_Z",
		"_R",
		"_D",
		"_ZN",
		"_RNv",
		"_Dunno",
		"_Zero",
		"__libc_start_main",
		"Z3foov",
		"_Rebuild",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(demangle(names[i]));
}

/* Each pair of template arguments stands for twice the last one: 2^40 names from some 300 bytes. */
static void a_bomb_of_back_references_is_given_up(void **state)
{
	char symbol[4096] = "_Z1fI1AIiiE";

	(void)state;
	for (int i = 0; i < 40; i++)
		snprintf(symbol + strlen(symbol), sizeof(symbol) - strlen(symbol), "1BIS%c_S%c_E",
			 i < 10 ? '0' + i : 'A' + i - 10, i < 10 ? '0' + i : 'A' + i - 10);
	strcat(symbol, "EvT_");
	free(demangle(symbol));

	strcpy(symbol, "_RINvC1a1b");
	for (int i = 0; i < 60; i++)
		strcat(symbol, "TBa_Ba_E");
	strcat(symbol, "E");
	free(demangle(symbol));

	strcpy(symbol, "_D1a1bF");
	for (int i = 0; i < 200; i++)
		strcat(symbol, "S1aQbQd");
	strcat(symbol, "Zv");
	free(demangle(symbol));
}

static void names_that_are_too_long_or_too_deep_are_left_alone(void **state)
{
	char *symbol = malloc(1 << 20);

	(void)state;
	memset(symbol, 'P', 1 << 20);
	memcpy(symbol, "_Z1f", 4);
	symbol[(1 << 20) - 1] = 0;
	assert_null(demangle(symbol));
	symbol[8000] = 0;
	free(demangle(symbol));
	memset(symbol + 4, 'I', 7000);
	symbol[7000] = 0;
	free(demangle(symbol));
	memcpy(symbol, "_RNv", 4);
	free(demangle(symbol));
	memcpy(symbol, "_D1a", 4);
	free(demangle(symbol));
	free(symbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_language_is_read),
		cmocka_unit_test(demangle_symbol__leaves_out_versions_and_keeps_the_mark_of_stubs),
		cmocka_unit_test(names_of_c_are_left_alone),
		cmocka_unit_test(a_bomb_of_back_references_is_given_up),
		cmocka_unit_test(names_that_are_too_long_or_too_deep_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
