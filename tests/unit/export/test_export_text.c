/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON, and what all formats have in common: totals, names that are hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "exported.h"
#include "folded_profile.h"

static const struct export_options usual;

static void add_samples(struct folded *f)
{
	folded_add(f, "xz", "outermost", 2, "/bin/xz!main;/bin/xz!code");
	folded_add(f, "xz", "outermost", 1, "/bin/xz!main;[kernel]!read");
	folded_add(f, "cat", "exiting", 1, "");
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t nr = 0;

	while ((text = strstr(text, what))) {
		nr++;
		text += strlen(what);
	}
	return nr;
}

static void check(struct folded *f, const char *format, const char *want)
{
	struct exported e = exported_as(format, &f->profile, usual);

	assert_string_equal(e.v, want);
	free(e.v);
}

static void speedscope_has_a_profile_for_each_thread(void **state)
{
	struct folded *f = *state;

	add_samples(f);
	check(f, "speedscope",
	      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"dusk@" DUSK_VERSION
	      "\","
	      "\"name\":\"\",\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"/bin/xz\"},"
	      "{\"name\":\"code\",\"file\":\"/bin/xz\"},{\"name\":\"read\",\"file\":\"[kernel]\"},"
	      "{\"name\":\"[no stack: outermost]\"},{\"name\":\"[no stack: no-fde]\"},"
	      "{\"name\":\"[no stack: exiting]\"},{\"name\":\"[no stack: kernel-thread]\"}]},\"profiles\":["
	      "{\"type\":\"sampled\",\"name\":\"xz 100/100, cpu\",\"unit\":\"nanoseconds\",\"startValue\":0,"
	      "\"endValue\":30303030,\"samples\":[[0,1],[0,1],[0,2]],\"weights\":[10101010,10101010,10101010]},"
	      "{\"type\":\"sampled\",\"name\":\"cat 101/101, cpu\",\"unit\":\"nanoseconds\",\"startValue\":0,"
	      "\"endValue\":10101010,\"samples\":[[5]],\"weights\":[10101010]}],\"activeProfileIndex\":0}\n");
}

static void firefox_has_a_thread_with_all_its_samples(void **state)
{
	struct folded *f = *state;
	struct exported e;

	add_samples(f);
	e = exported_as("firefox", &f->profile, usual);
	assert_non_null(strstr(e.v, "\"stackTable\":{\"frame\":[0,1,2,3,4,5,6,7],"
				    "\"prefix\":[null,0,null,2,null,null,null,null],"));
	assert_non_null(strstr(e.v, "\"name\":\"xz\",\"isMainThread\":true,\"pid\":\"100\",\"tid\":100"));
	assert_int_equal(count(e.v, "\"weightType\":\"samples\",\"length\":3"), 1);
	assert_int_equal(count(e.v, "\"weightType\":\"samples\",\"length\":1"), 1);
	free(e.v);
}

static void jsonl_has_each_thing_before_it_is_used(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 1, "/bin/a!main;[kernel]!");
	f->profile.frames[2].offset = f->profile.frames[2].address = 0xffffffff81000000;
	f->profile.nr_outcomes = 1;
	check(f, "jsonl",
	      "{\"type\":\"profile\",\"schema\":\"dusk-jsonl-1\",\"period_ns\":10101010,\"settings\":{}}\n"
	      "{\"type\":\"module\",\"id\":1,\"kind\":\"file\",\"pid\":0,\"path\":\"/bin/a\",\"build_id\":\"\"}\n"
	      "{\"type\":\"module\",\"id\":2,\"kind\":\"kernel\",\"pid\":0,\"path\":\"[kernel]\",\"build_id\":\"\"}\n"
	      "{\"type\":\"function\",\"id\":1,\"name\":\"main\",\"symbol\":\"main\",\"module\":\"a\"}\n"
	      "{\"type\":\"frame\",\"id\":1,\"module\":1,\"function\":1,\"offset\":\"0x10\","
	      "\"address\":\"0x10\",\"return\":1}\n"
	      "{\"type\":\"frame\",\"id\":2,\"module\":2,\"function\":null,\"offset\":\"0xffffffff81000000\","
	      "\"address\":\"0xffffffff81000000\",\"return\":1}\n"
	      "{\"type\":\"stack\",\"id\":1,\"parent\":null,\"frame\":1,\"unsure\":0}\n"
	      "{\"type\":\"stack\",\"id\":2,\"parent\":1,\"frame\":2,\"unsure\":0}\n"
	      "{\"type\":\"thread\",\"id\":0,\"pid\":100,\"tid\":100,\"comm\":\"a\",\"service\":\"a\",\"unit\":\"\","
	      "\"container\":\"\",\"pod\":\"\",\"namespace\":\"\",\"version\":\"\",\"cgroup\":\"\",\"host\":\"\"}\n"
	      "{\"type\":\"outcome\",\"name\":\"outermost\",\"class\":\"complete\","
	      "\"sentence\":\"the outermost frame says that it has no caller\"}\n"
	      "{\"type\":\"sample\",\"time_ns\":0,\"thread\":0,\"stack\":2,\"cpu\":0,\"source\":\"cpu\","
	      "\"value_ns\":10101010,\"outcome\":\"outermost\"}\n"
	      "{\"type\":\"end\",\"samples\":1}\n");
}

/*
 * Names with terminal sequences, bytes that are no UTF-8, HTML, quotes; and one of 100 KB, which would be cut in the
 * middle of a character.
 */
static void hostile_names_are_escaped_and_cut_in_every_format(void **state)
{
	static const char hostile[] = "\033]0;x\007\xff\xfe</script>\"\\\r\n\xed\xa0\x80";
	struct folded *f = *state;
	char *longest = malloc(100001);

	memset(longest, 'x', 100000);
	for (size_t i = 2; i + 1 < 100000; i += 2)
		memcpy(longest + i, "\xc3\xa9", 2);
	longest[100000] = 0;
	folded_add(f, hostile, "outermost", 1, "m!f;n!g");
	f->profile.functions[1].name = f->profile.functions[1].symbol = hostile;
	f->profile.functions[2].name = f->profile.functions[2].symbol = longest;
	f->profile.modules[1].path = f->profile.functions[1].module = hostile;
	f->profile.modules[2].path = longest;
	for (const struct export_format *x = export_formats; x->name; x++) {
		struct exported e = exported_as(x->name, &f->profile, usual);

		assert_true(e.len < 64 * 1024);
		assert_null(memmem(e.v, e.len, "\033]", 2));
		assert_null(memmem(e.v, e.len, "\xff\xfe<", 3));
		assert_null(memmem(e.v, e.len, "\xed\xa0\x80", 3));
		assert_null(memmem(e.v, e.len, "\xc3...", 4));
		assert_non_null(memmem(e.v, e.len, "x1b]0", 5));
		assert_true(x->binary || !strcmp(x->name, "script") || memmem(e.v, e.len, "\xc3\xa9...", 5));
		free(e.v);
	}
	free(longest);
}

static void what_is_written_of_nothing_has_no_samples(void **state)
{
	struct folded *f = *state;
	static const char *const samples[][2] = {
		{"folded", ""},
		{"script", ""},
		{"speedscope", "\"profiles\":[]"},
		{"firefox", "\"threads\":[]"},
		{"jsonl", "{\"type\":\"end\",\"samples\":0}\n"},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct exported e = exported_as(samples[i][0], &f->profile, usual);

		assert_non_null(strstr(e.v, samples[i][1]));
		assert_true(e.len == 0 || *samples[i][1]);
		free(e.v);
	}
	for (const struct export_format *x = export_formats; x->name; x++)
		free(exported_as(x->name, &f->profile, usual).v);
}

static void a_full_stream_ends_the_work(void **state)
{
	struct folded *f = *state;

	folded_add(f, "a", "outermost", 20000, "m!f");
	for (const struct export_format *x = export_formats; x->name; x++) {
		FILE *full = fopen("/dev/full", "w");

		assert_int_equal(x->write(full, &f->profile, &usual), 0);
		assert_true(fflush(full) || ferror(full));
		fclose(full);
	}
}

static void a_format_is_found_by_its_name_or_suffix(void **state)
{
	assert_null(export_find("pdf"));
	assert_string_equal(export_find("folded")->name, "folded");
	assert_string_equal(export_find_suffix("/tmp/x.pb.gz")->name, "pprof");
	assert_string_equal(export_find_suffix("perf.data")->name, "perf");
	assert_string_equal(export_find_suffix("a.speedscope.json")->name, "speedscope");
	assert_string_equal(export_find_suffix("a.firefox.json")->name, "firefox");
	assert_null(export_find_suffix("a.json"));
	assert_null(export_find_suffix("jsonl"));
	assert_null(export_find_suffix("a.jsonl/b"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(speedscope_has_a_profile_for_each_thread),
		TEST(firefox_has_a_thread_with_all_its_samples),
		TEST(jsonl_has_each_thing_before_it_is_used),
		TEST(hostile_names_are_escaped_and_cut_in_every_format),
		TEST(what_is_written_of_nothing_has_no_samples),
		TEST(a_full_stream_ends_the_work),
		TEST(a_format_is_found_by_its_name_or_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
