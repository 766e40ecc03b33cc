/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are the functions of a file found, and is what comes from the confined process checked? */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "lib/symbols/sites.h"
#include "lib/symbols/stapsdt.h"

__attribute__((noinline)) int a_function_of_this_test(int x);
int a_function_of_this_test(int x)
{
	return x + 1;
}

static const struct site *find(const struct sites *s, const char *name)
{
	for (size_t i = 0; i < s->all.nr; i++)
		if (!strcmp(s->all.v[i].name, name))
			return &s->all.v[i];
	return NULL;
}

static void sites__functions_of_a_file_are_found(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct sites s = {0};
	const struct site *site;
	unsigned char code[4];

	assert_int_equal(sites_read(&s, fd, "/proc/self/exe"), 0);
	site = find(&s, "a_function_of_this_test");
	assert_non_null(site);
	assert_int_equal(site->kind, SITE_FUNCTION);
	assert_true(site->bytes > 1);
	assert_int_equal(pread(fd, code, sizeof(code), site->offset), sizeof(code));
	assert_memory_equal(code, (const void *)a_function_of_this_test, sizeof(code));
	assert_null(find(&s, "malloc")); /* it is another file's */
	sites_done(&s);
	close(fd);
}

static ssize_t take(struct sites *s, uint32_t kind, const char *texts, uint32_t bytes, size_t cut)
{
	struct site_record r = {kind, bytes, 1, 2, 3};
	char data[256];

	memcpy(data, &r, sizeof(r));
	memcpy(data + sizeof(r), texts, bytes);
	return sites_take(s, data, sizeof(r) + bytes - cut);
}

static void sites__no_record_is_trusted(void **state)
{
	struct sites s = {0};

	assert_int_equal(take(&s, SITE_USDT, "p\0n\0a", 6, 0), sizeof(struct site_record) + 6);
	assert_string_equal(s.all.v[0].provider, "p");
	assert_string_equal(s.all.v[0].name, "n");
	assert_string_equal(s.all.v[0].arguments, "a");
	assert_int_equal(take(&s, SITE_USDT, "p\0n\0a", 6, 1), 0);	   /* more is to come */
	assert_int_equal(take(&s, SITE_KINDS, "p\0n\0a", 6, 0), -EBADMSG); /* no such kind */
	assert_int_equal(take(&s, SITE_USDT, "p\0n\0a", 5, 0), -EBADMSG);  /* no end */
	assert_int_equal(take(&s, SITE_USDT, "p\0n", 4, 0), -EBADMSG);	   /* a text is missing */
	assert_int_equal(take(&s, SITE_USDT, "p\0n\0a\0b", 8, 0), -EBADMSG);
	assert_int_equal(take(&s, SITE_USDT, "p\0\0a", 5, 0), -EBADMSG); /* no name */
	assert_int_equal(s.all.nr, 1);
	sites_done(&s);
}

static void stapsdt__a_note_is_read_whole_or_not(void **state)
{
	static const char words[] = "\x10\0\0\0\0\0\0\0\x20\0\0\0\0\0\0\0\x30\0\0\0\0\0\0\0py\0gc\0"
				    "8@%rdi";
	struct stapsdt s;

	assert_int_equal(stapsdt_read(&s, words, sizeof(words), true), 0);
	assert_int_equal(s.address, 0x10);
	assert_int_equal(s.semaphore, 0x30);
	assert_string_equal(s.provider, "py");
	assert_string_equal(s.name, "gc");
	assert_string_equal(s.arguments, "8@%rdi");
	for (size_t bytes = 0; bytes < sizeof(words); bytes++)
		assert_int_equal(stapsdt_read(&s, words, bytes, true), -EBADMSG);
	assert_int_equal(stapsdt_read(&s, "\1\0\0\0\2\0\0\0\3\0\0\0a\0b\0", 17, false), 0);
	assert_int_equal(stapsdt_read(&s, "\1\0\0\0\2\0\0\0\3\0\0\0a b\0b\0", 19, false), -EBADMSG);
	assert_int_equal(stapsdt_read(&s, "\1\0\0\0\2\0\0\0\3\0\0\0\0b\0", 16, false), -EBADMSG);
	assert_int_equal(stapsdt_read(&s, "\1\0\0\0\2\0\0\0\3\0\0\0a\0b\0\n", 18, false), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites__functions_of_a_file_are_found),
		cmocka_unit_test(sites__no_record_is_trusted),
		cmocka_unit_test(stapsdt__a_note_is_read_whole_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
