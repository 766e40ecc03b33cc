/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "filter_leaves.h"

/* What a filter leaves of @f is @want, as folded stacks. */
static void leaves(struct folded *f, const struct filter *filter, const char *want)
{
	filter_leaves(f, filter, BY_COUNT, want);
}

static void fill(struct folded *f)
{
	folded_add(f, "xz", "outermost", 3, "xz!main;xz!code;xz!match");
	folded_add(f, "xz", "outermost", 2, "xz!main;c!memcpy");
	folded_add(f, "xz", "exiting", 1, "");
}

static void without_a_filter_nothing_is_copied(void **state)
{
	struct folded *f = *state;
	struct filter none = {0};
	struct filtered seen = {0};

	fill(f);
	assert_int_equal(filtered_init(&seen, &f->profile, &none), 0);
	assert_ptr_equal(seen.profile.samples, f->profile.samples);
	assert_ptr_equal(seen.profile.nodes, f->profile.nodes);
	filtered_done(&seen);
}

static void focus_keeps_stacks_with_a_match_anywhere(void **state)
{
	fill(*state);
	leaves(*state, &(struct filter){.focus = "^code$"}, "xz;main;code;match 3\n");
	leaves(*state, &(struct filter){.focus = "main"}, "xz;main;code;match 3\nxz;main;memcpy 2\n");
	leaves(*state, &(struct filter){.focus = "mai$"}, "");
}

static void ignore_drops_them(void **state)
{
	fill(*state);
	leaves(*state, &(struct filter){.ignore = "code|exiting"}, "xz;main;memcpy 2\n");
	leaves(*state, &(struct filter){.focus = "main", .ignore = "main"}, "");
}

static void a_module_is_matched_too(void **state)
{
	fill(*state);
	leaves(*state, &(struct filter){.focus = "^c$"}, "xz;main;memcpy 2\n");
}

static void what_is_hidden_leaves_its_callers_and_callees_together(void **state)
{
	fill(*state);
	leaves(*state, &(struct filter){.hide = "code"},
	       "xz;main;match 3\nxz;main;memcpy 2\nxz;[no stack: exiting] 1\n");
	leaves(*state, &(struct filter){.hide = "match|memcpy"},
	       "xz;main 2\nxz;main;code 3\nxz;[no stack: exiting] 1\n");
}

static void a_stack_that_is_hidden_whole_is_no_sample(void **state)
{
	fill(*state);
	leaves(*state, &(struct filter){.hide = "^(xz|c)$"}, "xz;[no stack: exiting] 1\n");
	leaves(*state, &(struct filter){.hide = "."}, "");
}

static void what_is_hidden_can_still_be_the_focus(void **state)
{
	fill(*state);
	leaves(*state, &(struct filter){.focus = "code", .hide = "code"}, "xz;main;match 3\n");
}

static void the_profile_stays_as_it_was(void **state)
{
	struct folded *f = *state;

	fill(f);
	leaves(f, &(struct filter){.hide = "main", .ignore = "memcpy"}, "xz;code;match 3\nxz;[no stack: exiting] 1\n");
	leaves(f, &(struct filter){0}, "xz;main;code;match 3\nxz;main;memcpy 2\nxz;[no stack: exiting] 1\n");
}

static void a_broken_expression_is_refused_with_the_reason(void **state)
{
	struct folded *f = *state;
	struct filtered seen = {0};
	char why[128];

	assert_null(filter_refuse("a|b", why, sizeof(why)));
	assert_ptr_equal(filter_refuse("(", why, sizeof(why)), why);
	assert_true(strlen(why) > 5);
	fill(f);
	assert_int_equal(filtered_init(&seen, &f->profile, &(struct filter){.hide = "("}), -EINVAL);
	filtered_done(&seen);
}

/* What libc would take minutes and gigabytes for, of which the first is three levels of 255. */
static void an_expression_that_does_not_end_is_refused(void **state)
{
	static const char *const endless[] = {"((a{1,255}){1,255}){1,255}",
					      "(a{999}){2}",
					      "((a{0,})b{99,}){11}",
					      "((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+",
					      "([[:alpha:]x]{500}|[]a]{200}){2}",
					      "(a*)*\\1"};
	static const char *const fine[] = {"^std::vector<.*>::(push|emplace)_back\\(",
					   "[^]{9999}]x{2}",
					   "a{1,255}|b{255}",
					   "\\{9999}",
					   "((a+)+)+",
					   "x{0}(y){0,3}",
					   "\\.so\\.[0-9]+"};
	char why[128], names[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(endless) / sizeof(*endless); i++)
		assert_ptr_equal(filter_refuse(endless[i], why, sizeof(why)), why);
	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++)
		assert_null(filter_refuse(fine[i], why, sizeof(why)));
	memset(names, '(', sizeof(names));
	names[1999] = 0;
	assert_ptr_equal(filter_refuse(names, why, sizeof(why)), why);
}

#define PYTHON_STACK                                                                                   \
	"/bin/python3!main;/bin/python3!eval;/srv/app.py!<module>;/srv/app.py!load;/bin/python3!call;" \
	"/bin/python3!eval;/usr/lib/python3.11/json/decoder.py!decode"

static void an_interpreter_is_not_shown_where_its_code_is(void **state)
{
	struct folded *f = *state;

	folded_add(f, "py", "outermost", 2, PYTHON_STACK ";/bin/python3!read;[kernel]!vfs_read");
	folded_add(f, "py", "outermost", 3, "/bin/python3!main;/bin/python3!eval;[kernel]!page_fault");
	leaves(f, &(struct filter){.hide_native = true},
	       "py;main;eval;page_fault 3\npy;main;<module>;load;call;decode;read;vfs_read 2\n");
	leaves(f, &(struct filter){.hide = "page"},
	       "py;main;eval 3\npy;main;eval;<module>;load;call;eval;decode;read;vfs_read 2\n");
}

/* What is inlined in the loop is the same frame; what stands for several frames is no loop; there may be no caller. */
static void no_more_is_hidden_than_the_function_that_runs_it(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 1,
		   "/bin/python3!main;/bin/python3!eval;/bin/python3!dispatch;/srv/app.py!load");
	f->profile.frames[f->profile.nr_frames - 2].is_inlined = true;
	folded_add(f, "b", "outermost", 1, "/bin/python3!main;/bin/python3![...];/srv/app.py!load");
	folded_add(f, "c", "outermost", 1, "/srv/app.py!load");
	folded_add(f, "d", "outermost", 1, "/bin/python3!eval;/srv/app.py!load");
	leaves(f, &(struct filter){.hide_native = true}, "a;main;load 1\nb;main;[...];load 1\nc;load 1\nd;load 1\n");
}

static void without_such_code_nothing_is_hidden_or_copied(void **state)
{
	struct folded *f = *state;
	struct filter hide = {.hide_native = true};
	struct filtered seen = {0};

	fill(f);
	assert_int_equal(filtered_init(&seen, &f->profile, &hide), 0);
	assert_ptr_equal(seen.profile.nodes, f->profile.nodes);
	filtered_done(&seen);
}

static void a_language_has_own_code_and_libraries(void **state)
{
	struct folded *f = *state;

	folded_add(f, "py", "outermost", 2, "/usr/lib/libpython3.11.so!eval;" PYTHON_STACK);
	leaves(f, &(struct filter){.own = true}, "py;<module>;load 2\n");
	folded_add(f, "py", "outermost", 1, "/venv/lib/x/site-packages/a/decoder.py!decode;/srv/app.py!load");
	leaves(f, &(struct filter){.own = true}, "py;<module>;load 2\npy;load 1\n");
	folded_add(f, "py", "outermost", 1, "/srv/own/decoder.py!decode"); /* looks like the others */
	leaves(f, &(struct filter){.own = true}, "py;<module>;load;decode 2\npy;decode 1\npy;decode;load 1\n");
}

/* Composer's folder, Debian's, and programs in one file. */
static void php_has_own_code_and_libraries(void **state)
{
	struct folded *f = *state;

	folded_add(f, "php", "outermost", 2,
		   "/srv/app.php!{main};/srv/vendor/a/b/src/Client.php!Client::send;/usr/share/php/C/D.php!D::e;"
		   "phar:///usr/bin/x.phar/src/F.php!g;/srv/shop.php!sell");
	leaves(f, &(struct filter){.own = true}, "php;{main};sell 2\n");
}

/* The JDK's packages, and the runtime's stubs. C calls Java by one of these: its caller stays. */
static void java_has_own_code_and_libraries(void **state)
{
	struct folded *f = *state;
	const char *stack = "/bin/java!main;/lib/libjvm.so!call_helper;[java]!call_stub;app/Main.java!app.Main.run;"
			    "java/util/HashMap.java!java.util.HashMap.get;/lib/libjvm.so!slow";

	folded_add(f, "java", "outermost", 2, stack);
	leaves(f, &(struct filter){.own = true}, "java;main;app.Main.run 2\n");
	leaves(f, &(struct filter){.hide_native = true},
	       "java;main;call_helper;call_stub;app.Main.run;java.util.HashMap.get;slow 2\n");
}

/* CPAN's folders are Perl's own, Debian's, and those of a user. */
static void perl_has_own_code_and_libraries(void **state)
{
	struct folded *f = *state;

	folded_add(f, "perl", "outermost", 2,
		   "/srv/app.pl!(main);/usr/share/perl/5.36.0/Carp.pm!Carp::longmess;/usr/share/perl5/A.pm!A::a;"
		   "/usr/lib/x86_64-linux-gnu/perl-base/List/Util.pm!b;/home/u/perl5/lib/perl5/C.pm!C::c;"
		   "/usr/local/lib/site_perl/D.pm!D::d;/srv/lib/Shop.pm!Shop::sell");
	leaves(f, &(struct filter){.own = true}, "perl;(main);Shop::sell 2\n");
}

static void ruby_has_own_code_and_libraries(void **state)
{
	struct folded *f = *state;

	folded_add(f, "ruby", "outermost", 2,
		   "/srv/app.rb!<main>;/usr/lib/ruby/3.1.0/set.rb!each;/var/lib/gems/3.1.0/gems/a/lib/a.rb!a;"
		   "/usr/share/rubygems-integration/all/b.rb!b;/srv/lib/shop.rb!sell");
	leaves(f, &(struct filter){.own = true}, "ruby;<main>;sell 2\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_filter_nothing_is_copied),
		TEST(an_expression_that_does_not_end_is_refused),
		TEST(focus_keeps_stacks_with_a_match_anywhere),
		TEST(ignore_drops_them),
		TEST(a_module_is_matched_too),
		TEST(what_is_hidden_leaves_its_callers_and_callees_together),
		TEST(a_stack_that_is_hidden_whole_is_no_sample),
		TEST(what_is_hidden_can_still_be_the_focus),
		TEST(the_profile_stays_as_it_was),
		TEST(a_broken_expression_is_refused_with_the_reason),
		TEST(an_interpreter_is_not_shown_where_its_code_is),
		TEST(no_more_is_hidden_than_the_function_that_runs_it),
		TEST(without_such_code_nothing_is_hidden_or_copied),
		TEST(a_language_has_own_code_and_libraries),
		TEST(php_has_own_code_and_libraries),
		TEST(java_has_own_code_and_libraries),
		TEST(perl_has_own_code_and_libraries),
		TEST(ruby_has_own_code_and_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
