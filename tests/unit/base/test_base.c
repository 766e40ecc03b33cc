/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the utilities that know nothing of dusk keep their promises? */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/json.h"
#include "base/keys.h"
#include "base/map.h"
#include "base/name.h"
#include "base/strings.h"
#include "base/vec.h"

static void an_array_keeps_what_is_added(void **state)
{
	struct vec(int) a = {0};
	int *v;

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(vec_push(&a, i * 3), 0);
	assert_int_equal(*vec_add(&a), 0);
	assert_int_equal(a.nr, 1001);
	v = vec_steal(&a);
	assert_int_equal(a.nr, 0);
	assert_null(a.v);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v[i], i * 3);
	free(v);
}

static void many_are_added_at_once_and_none_too(void **state)
{
	struct vec(int) a = {0};
	const int some[] = {1, 2, 3};

	(void)state;
	assert_int_equal(vec_append(&a, NULL, 0), 0);
	assert_int_equal(a.nr, 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(vec_append(&a, some, 3), 0);
	assert_int_equal(a.nr, 300);
	for (int i = 0; i < 300; i++)
		assert_int_equal(a.v[i], i % 3 + 1);
	assert_int_equal(vec_reserve(&a, 5000), 0);
	assert_int_equal(a.nr, 300);
	assert_true(a.room >= 5300);
	vec_done(&a);
}

static void a_map_finds_each_key_and_no_other(void **state)
{
	struct map m = {0};
	bool fresh;

	(void)state;
	assert_null(map_find(&m, 0));
	for (uint64_t i = 0; i < 5000; i++) {
		*map_at(&m, i << 40 | i, &fresh) = i + 7;
		assert_true(fresh);
	}
	assert_int_equal(m.nr, 5000);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(*map_at(&m, i << 40 | i, &fresh), i + 7);
		assert_false(fresh);
		assert_null(map_find(&m, i << 40 | (i + 1)));
	}
	map_done(&m);
}

static void a_map_that_was_cleared_has_no_key_and_can_be_filled_again(void **state)
{
	struct map m = {0};
	bool fresh;

	map_clear(&m);
	for (uint64_t turn = 0; turn < 3; turn++) {
		for (uint64_t i = 0; i < 1000; i++) {
			*map_at(&m, i, &fresh) = turn;
			assert_true(fresh);
		}
		assert_int_equal(m.nr, 1000);
		map_clear(&m);
		assert_int_equal(m.nr, 0);
		assert_null(map_find(&m, 5));
	}
	map_done(&m);
}

static void equal_strings_are_one(void **state)
{
	struct strings s = {0};
	const char *first, *again;
	uint32_t number;
	bool fresh;
	char text[32];

	(void)state;
	first = strings_intern(&s, "main");
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "function_%d", i);
		assert_string_equal(strings_intern(&s, text), text);
	}
	again = strings_intern(&s, "main");
	assert_ptr_equal(first, again);
	assert_int_equal(s.nr, 5001);
	assert_int_equal(strings_number(&s, "function_77", 11, &number, &fresh), 0);
	assert_int_equal(number, 78);
	assert_false(fresh);
	/* Bytes, not text: what comes behind a 0 byte counts. */
	assert_int_equal(strings_number(&s, "a\0b", 3, &number, &fresh), 0);
	assert_true(fresh);
	assert_int_equal(strings_number(&s, "a\0c", 3, &number, &fresh), 0);
	assert_true(fresh);
	assert_memory_equal(strings_text(&s, number), "a\0c", 4);
	strings_done(&s);
}

static void equal_keys_have_one_number(void **state)
{
	struct keys k = {0};
	uint32_t number;
	bool fresh;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t key[] = {i << 40, i % 2};

		assert_int_equal(keys_number(&k, key, sizeof(key), &number, &fresh), 0);
		assert_true(fresh);
		assert_int_equal(number, i);
	}
	for (uint64_t i = 0; i < 1000; i++) {
		const uint64_t key[] = {i << 40, i % 2}, other[] = {i << 40, 2};

		assert_int_equal(keys_number(&k, key, sizeof(key), &number, &fresh), 0);
		assert_false(fresh);
		assert_int_equal(number, i);
		assert_memory_equal(keys_at(&k, i), key, sizeof(key));
		assert_int_equal(keys_number(&k, other, sizeof(other), &number, NULL), 0);
		assert_int_equal(number, 1000 + i);
	}
	keys_done(&k);
	assert_int_equal(k.nr, 0);
}

static void a_long_string_is_kept_whole(void **state)
{
	_cleanup_(strings_done) struct strings s = {0};
	_cleanup_(freep) char *text = malloc(300001);
	const char *before, *copy;

	(void)state;
	memset(text, 'x', 300000);
	text[300000] = 0;
	before = strings_intern(&s, "before");
	copy = strings_intern(&s, text);
	assert_int_equal(strlen(copy), 300000);
	assert_string_equal(strings_intern(&s, "after"), "after");
	assert_string_equal(before, "before");
}

static void a_proc_file_is_read_though_its_size_is_unknown(void **state)
{
	_cleanup_(freep) char *text = NULL;
	size_t len;

	(void)state;
	assert_int_equal(file_read(&text, &len, "/proc/self/status", 1 << 20), 0);
	assert_memory_equal(text, "Name:", 5);
	assert_int_equal(strlen(text), len);
}

static void a_file_that_is_too_large_or_none_is_refused(void **state)
{
	char *text = (char *)"untouched";
	size_t len = 7;

	(void)state;
	assert_int_equal(file_read(&text, &len, "/proc/self/status", 10), -EFBIG);
	assert_int_equal(file_read(&text, &len, "/dev/zero", 10), -EINVAL);
	assert_int_equal(file_read(&text, &len, "/proc/self/nothing", 10), -ENOENT);
	assert_string_equal(text, "untouched");
	assert_int_equal(len, 7);
}

static char *written(int indent, void (*write)(struct json *j))
{
	char *text = NULL;
	size_t len;
	struct json j = {.out = open_memstream(&text, &len), .indent = indent};

	write(&j);
	fclose(j.out);
	return text;
}

static void one_of_each(struct json *j)
{
	json_object(j, NULL);
	json_string(j, "name", "a\"b\\c\n\001\t");
	json_u64(j, "large", UINT64_MAX);
	json_i64(j, "small", INT64_MIN);
	json_bool(j, "yes", true);
	json_double(j, "half", 0.5);
	json_double(j, "nan", NAN);
	json_string(j, "none", NULL);
	json_array(j, "list");
	json_u64(j, NULL, 1);
	json_object(j, NULL);
	json_object_end(j);
	json_array_end(j);
	json_object_end(j);
}

static void a_file_gets_all_that_is_written_or_says_why_not(void **state)
{
	_cleanup_(closep) int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	_cleanup_(fclosep) FILE *file = tmpfile();
	_cleanup_(freep) char *text = NULL;
	char many[100000];
	size_t len;

	(void)state;
	memset(many, 'x', sizeof(many));
	assert_int_equal(file_write_fd(fileno(file), many, sizeof(many)), 0);
	rewind(file);
	assert_int_equal(file_read_fd(&text, &len, fileno(file), 1 << 20), 0);
	assert_int_equal(len, sizeof(many));
	assert_memory_equal(text, many, len);
	assert_int_equal(file_write_fd(full, many, 1), -ENOSPC);
	assert_int_equal(file_write_fd(full, NULL, 0), 0);
}

static void json_is_written_by_its_grammar(void **state)
{
	_cleanup_(freep) char *line = written(0, one_of_each), *lines = written(2, one_of_each);

	(void)state;
	assert_string_equal(line, "{\"name\":\"a\\\"b\\\\c\\n\\u0001\\t\",\"large\":18446744073709551615,"
				  "\"small\":-9223372036854775808,\"yes\":true,\"half\":0.5,\"nan\":null,\"none\":null,"
				  "\"list\":[1,{}]}");
	assert_non_null(strstr(lines, "{\n  \"name\": \"a"));
	assert_non_null(strstr(lines, "\n  \"list\": [\n    1,\n    {}\n  ]\n}"));
}

static void names_in_any_bytes(struct json *j)
{
	json_array(j, NULL);
	json_string(j, NULL, "gr\xc3\xbc\xc3\x9f"); /* UTF-8 */
	json_string(j, NULL, "\xff\xc3");	    /* no UTF-8, cut */
	json_string(j, NULL, "\xed\xa0\x80");	    /* half of a surrogate pair */
	json_string(j, NULL, "\xf0\x9f\x94\xa5");
	json_array_end(j);
}

static void json_stays_utf8_whatever_comes(void **state)
{
	_cleanup_(freep) char *text = written(0, names_in_any_bytes);

	(void)state;
	assert_string_equal(text, "[\"gr\xc3\xbc\xc3\x9f\",\"\\ufffd\\ufffd\",\"\\ufffd\\ufffd\\ufffd\","
				  "\"\xf0\x9f\x94\xa5\"]");
}

static void name__a_short_one_is_itself(void **state)
{
	char name[NAME_LIMIT_BYTES + 2], room[NAME_LIMIT_BYTES + 1];

	(void)state;
	memset(name, 'a', sizeof(name));
	name[NAME_LIMIT_BYTES] = 0;
	assert_ptr_equal(name_limit(room, name), name);
	assert_ptr_equal(name_limit(room, ""), "");
	assert_false(name_was_cut(name));
	assert_false(name_was_cut(""));
	assert_false(name_was_cut(NAME_MARK));
}

/* @bytes bytes of @pattern again and again, without a 0 byte behind them: a read past the limit is an error of ASan's. */
static void check_cut(const char *pattern, size_t bytes)
{
	char *name = malloc(bytes), room[NAME_LIMIT_BYTES + 1];
	size_t len = strlen(pattern), kept;

	for (size_t i = 0; i < bytes; i++)
		name[i] = pattern[i % len];
	assert_ptr_equal(name_limit(room, name), room);
	kept = strlen(room) - strlen(NAME_MARK);
	assert_in_range(kept, NAME_LIMIT_BYTES - strlen(NAME_MARK) - 3, NAME_LIMIT_BYTES - strlen(NAME_MARK));
	assert_memory_equal(room, name, kept);
	assert_string_equal(room + kept, NAME_MARK);
	assert_true(*pattern == '\x80' || kept % len == 0);
	assert_true(name_was_cut(room));
	assert_ptr_equal(name_limit_bytes(room, name, bytes), room);
	free(name);
}

static void name__a_longer_one_is_cut_between_characters(void **state)
{
	(void)state;
	for (size_t bytes = NAME_LIMIT_BYTES + 1; bytes < NAME_LIMIT_BYTES + 6; bytes++) {
		check_cut("a", bytes);
		check_cut("é", bytes);
		check_cut("€", bytes);
		check_cut("𝄞", bytes);
		check_cut("\x80", bytes);
	}
	check_cut("𝄞", 1 << 20);
}

static void budget__gives_all_back_evenly(void **state)
{
	struct budget b = {0};

	(void)state;
	assert_int_equal(budget_spent(&b, 3000, 60, 1000), 0);
	budget_spend(&b, 4500);
	assert_int_equal(budget_spent(&b, 3000, 60, 1000), 4500);
	assert_int_equal(budget_spent(&b, 3000, 60, 1010), 4000);
	assert_int_equal(budget_spent(&b, 3000, 60, 1020), 3500);
	assert_int_equal(budget_spent(&b, 3000, 60, 1080), 500);
	assert_int_equal(budget_spent(&b, 3000, 60, UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_keeps_what_is_added),
		cmocka_unit_test(many_are_added_at_once_and_none_too),
		cmocka_unit_test(a_map_finds_each_key_and_no_other),
		cmocka_unit_test(a_map_that_was_cleared_has_no_key_and_can_be_filled_again),
		cmocka_unit_test(equal_strings_are_one),
		cmocka_unit_test(equal_keys_have_one_number),
		cmocka_unit_test(a_long_string_is_kept_whole),
		cmocka_unit_test(a_proc_file_is_read_though_its_size_is_unknown),
		cmocka_unit_test(a_file_that_is_too_large_or_none_is_refused),
		cmocka_unit_test(a_file_gets_all_that_is_written_or_says_why_not),
		cmocka_unit_test(name__a_short_one_is_itself),
		cmocka_unit_test(name__a_longer_one_is_cut_between_characters),
		cmocka_unit_test(json_is_written_by_its_grammar),
		cmocka_unit_test(json_stays_utf8_whatever_comes),
		cmocka_unit_test(budget__gives_all_back_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
