/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "report/show/short_name.h"
#include "report/text.h"

static void check(const char *name, size_t width, const char *want)
{
	char buffer[SHORT_NAME_ROOM];

	assert_string_equal(short_name(name, width, buffer), want);
}

static void a_name_that_fits_stays(void **state)
{
	check("std::vector<int>::push_back(int&&)", 34, "std::vector<int>::push_back(int&&)");
	check("main", 1, "main");
}

static void arguments_of_templates_go_first(void **state)
{
	check("std::map<std::string, std::vector<int> >::find(int) const", 40, "std::map<...>::find(int) const");
	check("f<a>(std::map<std::string, std::string>)", 30, "f<a>(std::map<...>)");
	check("g<&Type::operator-> >(int, int, int)", 30, "g<...>(int, int, int)");
}

static void parameters_go_next(void **state)
{
	check("std::map<std::string, int>::find(std::string const&) const", 30, "std::map<...>::find(...) const");
	check("(anonymous namespace)::run(long, long, long)", 40, "(anonymous namespace)::run(...)");
	check("a::(anonymous namespace)::run(long, long, long)", 40, "a::(anonymous namespace)::run(...)");
	check("net/http.(*conn).serve.func1.very_long_name", 43, "net/http.(*conn).serve.func1.very_long_name");
}

static void operators_are_no_brackets(void **state)
{
	check("operator<< <char>(std::basic_ostream<char>&, int)", 40, "operator<< <...>(...)");
	check("A<long long>::operator()(B<long long>, long) const", 30, "A<...>::operator()(...) const");
	check("my_operator<long long, long long>(int)", 30, "my_operator<...>(int)");
}

static void the_type_of_a_qualified_name_stays(void **state)
{
	check("<alloc::vec::Vec<T> as core::Clone<Something>>::clone", 48,
	      "<alloc::vec::Vec<T> as core::Clone<...>>::clone");
}

static void the_middle_goes_last(void **state)
{
	check("a_name_of_one_word_that_is_too_long", 18, "a_nam...s_too_long");
	check("broken<name(of>something)else_that_is_long", 18, "broke...at_is_long");
	check("größere_und_längere_Wörter", 14, "grö...e_Wörter");
}

/* Whatever the name, the result fits, and is no longer than its room. */
static void what_is_shortened_fits(void **state)
{
	static const char alphabet[] = "ab<>()::-., &*\x01\x1b\xc3\xb6\xff"
				       "operator()";
	char name[600], buffer[SHORT_NAME_ROOM];

	srand(1);
	for (int i = 0; i < 20000; i++) {
		size_t len = rand() % (sizeof(name) - 1), width = 8 + rand() % 300;

		for (size_t k = 0; k < len; k++)
			name[k] = alphabet[rand() % (sizeof(alphabet) - 1)];
		name[len] = 0;
		assert_true(text_width(short_name(name, width, buffer), TEXT_TERMINAL) <= width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_fits_stays),
		cmocka_unit_test(arguments_of_templates_go_first),
		cmocka_unit_test(parameters_go_next),
		cmocka_unit_test(operators_are_no_brackets),
		cmocka_unit_test(the_type_of_a_qualified_name_stays),
		cmocka_unit_test(the_middle_goes_last),
		cmocka_unit_test(what_is_shortened_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
