/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "folded_profile.h"
#include "report/show/show_annotation.h"

static uint32_t only(struct folded *f, const char *name, const char *dso)
{
	uint32_t ret = 0;

	assert_int_equal(annotation_find(&f->profile, name, dso, &ret, 1), 1);
	return ret;
}

static void a_function_goes_by_name_symbol_or_without_parameters(void **state)
{
	struct folded *f = *state;
	uint32_t all[2];

	folded_add(f, "a", "outermost", 1, "m!ns::run(int);m!ns::run(long);m!ns::run;/lib/n!other");
	f->profile.functions[4].symbol = "_Z5other";
	assert_int_equal(only(f, "ns::run(int)", NULL), 1);
	assert_int_equal(only(f, "ns::run", NULL), 3);
	assert_int_equal(only(f, "_Z5other", NULL), 4);
	assert_int_equal(only(f, "other", "n"), 4);
	assert_int_equal(only(f, "other", "/lib/n"), 4);
	assert_int_equal(annotation_find(&f->profile, "other", "m", all, 2), 0);
	assert_int_equal(annotation_find(&f->profile, "ns", NULL, all, 2), 0);
	f->profile.functions[3].name = "gone";
	f->profile.functions[3].symbol = "gone";
	assert_int_equal(annotation_find(&f->profile, "ns::run", NULL, all, 2), 2);
	assert_int_equal(all[1], 2);
}

static void only_samples_in_the_function_itself_count(void **state)
{
	struct folded *f = *state;
	struct annotation a;

	folded_add(f, "a", "outermost", 3, "m!f");
	folded_add(f, "a", "outermost", 4, "m!f;m!g");
	folded_add(f, "a", "outermost", 5, "m!g;m!f");
	assert_int_equal(annotation_init(&a, &f->profile, only(f, "f", NULL), ANNOTATE_ANY), 0);
	assert_int_equal(a.samples, 8);
	assert_int_equal(a.nr, 2);
	assert_int_equal(a.places[0].samples, 3);
	assert_int_equal(a.places[0].address, f->profile.frames[1].address - 1);
	assert_int_equal(annotation_sum(&a, 0, UINT64_MAX), 8);
	assert_int_equal(annotation_sum(&a, a.places[1].address, a.places[1].address + 1), 5);
	assert_int_equal(annotation_sum(&a, a.places[1].address + 1, UINT64_MAX), 0);
	annotation_done(&a);
}

static void code_of_an_interpreter_has_lines_without_addresses(void **state)
{
	static const uint64_t offsets[] = {5ULL << 20 | 12, 5ULL << 20 | 7, 5ULL << 20, 6ULL << 20 | 12};
	struct folded *f = *state;
	struct annotated_source s;
	struct annotation a;

	for (uint32_t i = 0; i < 4; i++) {
		folded_add(f, "py", "outermost", i + 1, "/srv/app.py!load");
		f->profile.frames[i + 1].offset = f->profile.frames[i + 1].address = offsets[i];
		f->profile.frames[i + 1].is_return = false;
	}
	assert_int_equal(annotation_init(&a, &f->profile, only(f, "load", NULL), ANNOTATE_ANY), 0);
	assert_true(annotation_is_source(&a, &f->profile));
	assert_int_equal(a.start, 5ULL << 20);
	assert_int_equal(a.samples, 6);
	assert_int_equal(a.elsewhere, 4); /* another one of the name */
	assert_int_equal(a.other, 6ULL << 20);
	assert_int_equal(annotated_source_init(&s, &a, &f->profile), 0);
	assert_int_equal(s.code.nr_lines, 2);
	assert_int_equal(s.code.lines[0].line, 7);
	assert_int_equal(s.code.lines[1].line, 12);
	assert_int_equal(annotation_sum(&a, s.code.lines[1].address, s.code.end), 1);
	assert_string_equal(s.code.files[0], "/srv/app.py");
	annotated_source_done(&s);
	annotation_done(&a);
}

static void the_build_with_most_samples_is_shown(void **state)
{
	struct folded *f = *state;
	struct annotation a;

	folded_add(f, "a", "outermost", 3, "/old/m!f");
	folded_add(f, "a", "outermost", 4, "/new/m!f");
	assert_int_equal(annotation_init(&a, &f->profile, only(f, "f", "m"), ANNOTATE_ANY), 0);
	assert_string_equal(f->profile.modules[a.module].path, "/new/m");
	assert_int_equal(a.samples, 4);
	assert_int_equal(a.elsewhere, 3);
	annotation_done(&a);
}

/* Static functions of two sources: each has its own samples and its own lines. */
static void annotate__of_functions_of_one_name_one_is_shown(void **state)
{
	struct folded *f = *state;
	uint32_t function;
	struct annotation a;

	folded_add(f, "a", "outermost", 3, "m!helper");
	folded_add(f, "a", "outermost", 4, "m!helper");
	folded_add(f, "a", "outermost", 5, "m!helper");
	function = only(f, "helper", NULL);
	for (uint32_t i = 1; i <= 3; i++) {
		f->profile.frames[i].address = (i < 3 ? 0x1000 : 0x2000) + 4 * i;
		f->profile.frames[i].function_offset = 4 * i;
	}
	assert_int_equal(annotation_init(&a, &f->profile, function, ANNOTATE_ANY), 0);
	assert_int_equal(a.start, 0x1000);
	assert_int_equal(a.samples, 7);
	assert_int_equal(a.nr, 2);
	assert_int_equal(a.elsewhere, 5);
	assert_int_equal(a.other, 0x2000);
	annotation_done(&a);
	assert_int_equal(annotation_init(&a, &f->profile, function, 0x2000), 0);
	assert_int_equal(a.samples, 5);
	assert_int_equal(a.elsewhere, 7);
	assert_int_equal(a.other, 0x1000);
	annotation_done(&a);
	assert_int_equal(annotation_init(&a, &f->profile, function, 0x3000), 0);
	assert_int_equal(a.nr, 0);
	annotation_done(&a);
}

static void without_samples_there_are_no_places(void **state)
{
	struct folded *f = *state;
	struct annotation a;

	folded_add(f, "a", "outermost", 3, "m!f;m!g");
	assert_int_equal(annotation_init(&a, &f->profile, only(f, "f", NULL), ANNOTATE_ANY), 0);
	assert_int_equal(a.nr, 0);
	annotation_done(&a);
}

/* Two files, 0x10 bytes a line: lines 7 and 8 of a file that is not here, code of no line, line 1 of another. */
static void lines_are_sorted_by_file_and_added_up(void **state)
{
	static const char *files[] = {"/none/other.h", "/none/main.c"};
	static struct dusk_code_line lines[] = {
		{0x110, 1, 8}, {0x120, 0, 1}, {0x130, 1, 7}, {0x140, 0, 0}, {0x150, 1, 8}, {0x160, 0, 2},
	};
	static struct annotated_place places[] = {{0x10f, 1},  {0x110, 2}, {0x11f, 3},
						  {0x125, 20}, {0x14f, 4}, {0x150, 5}};
	struct dusk_code c = {
		.start = 0x100, .end = 0x170, .nr_files = 2, .nr_lines = 6, .files = files, .lines = lines};
	struct annotation a = {.samples = 35, .places = places, .nr = 6};
	struct show_options o = {.form = SHOW_CSV};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(source_show(out, &a, &c, &o), 0);
	fclose(out);
	assert_string_equal(text, "self_percent,self,file,line,source\n"
				  "14.2857,5,/none/main.c,0,\n"
				  "0.0000,0,/none/main.c,7,\n"
				  "28.5714,10,/none/main.c,8,\n"
				  "57.1429,20,/none/other.h,1,\n");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_function_goes_by_name_symbol_or_without_parameters),
		TEST(only_samples_in_the_function_itself_count),
		TEST(the_build_with_most_samples_is_shown),
		TEST(annotate__of_functions_of_one_name_one_is_shown),
		TEST(without_samples_there_are_no_places),
		TEST(lines_are_sorted_by_file_and_added_up),
		TEST(code_of_an_interpreter_has_lines_without_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
