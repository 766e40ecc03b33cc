/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are files of stacks read as they were written, whatever their byte order, and what is whole of those that are not? */
#include <byteswap.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/stacks/fsmb.h"
#include "lib/stacks/stackset.h"
#include "parse_stacks.h"

#define HEAD 16

static const uint64_t frames[] = {0xffffffff81000010, 0xffffffff81000020, 0x0001800000001234, 7, 8, 9};
static struct dusk_stack some[] = {
	{42, 2, 1337, frames},
	{99, 1, 1, frames + 2},
	{7, 3, 12, frames + 3},
};
static const struct dusk_stacks specimen = {.nr = 3, .v = some};

/* The specimen as it lies in a file; swapped: as a machine of the other byte order has written it. */
static char *make(size_t *len, bool swapped)
{
	int fd = memfd_create("stacks", MFD_CLOEXEC);
	char *bytes;

	assert_true(fd >= 0);
	assert_int_equal(dusk_stacks_write(&specimen, fd), 0);
	*len = lseek(fd, 0, SEEK_END);
	bytes = malloc(*len);
	assert_int_equal(pread(fd, bytes, *len, 0), *len);
	close(fd);
	for (size_t at = 0, i = 0; swapped && at < *len; i++) {
		uint32_t *word = (uint32_t *)(bytes + at);
		uint64_t *ip = (uint64_t *)(bytes + at + HEAD);
		uint32_t nr = i ? word[1] : 0;

		for (int k = 0; k < 4; k++)
			word[k] = bswap_32(word[k]);
		for (uint32_t k = 0; k < nr; k++)
			ip[k] = bswap_64(ip[k]);
		at += HEAD + nr * sizeof(*ip);
	}
	return bytes;
}

static void assert_first(const struct dusk_stacks *s, size_t nr)
{
	assert_int_equal(s->nr, nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(s->v[i].id, some[i].id);
		assert_int_equal(s->v[i].refs, some[i].refs);
		assert_int_equal(s->v[i].nr, some[i].nr);
		assert_memory_equal(s->v[i].frame, some[i].frame, some[i].nr * sizeof(uint64_t));
	}
}

static void what_was_written_is_read_in_either_byte_order(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		size_t len;
		char *bytes = make(&len, swapped);
		_cleanup_(stacks_freep) struct dusk_stacks *s = parse(bytes, len);

		assert_first(s, 3);
		assert_string_equal(s->damage, "");
		assert_int_equal(s->merged, 0);
	}
}

static void the_layout_is_that_of_the_kernel(void **state)
{
	static const unsigned char head[] = {'B', 'S', 'M', 'F', 2,    0, 0, 0,	   3,	 0,    0,    0,	  0, 0,
					     0,	  0,   42,  0,	 0,    0, 2, 0,	   0,	 0,    0x39, 5,	  0, 0,
					     0,	  0,   0,   0,	 0x10, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff};
	_cleanup_(freep) char *bytes = NULL;
	size_t len;

	bytes = make(&len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(len, 4 * HEAD + 6 * sizeof(uint64_t));
	assert_memory_equal(bytes, head, sizeof(head));
}

static void wherever_it_is_cut_what_is_whole_is_there_and_where_it_ends_is_said(void **state)
{
	static const size_t ends[] = {HEAD, 2 * HEAD + 16, 3 * HEAD + 24, 4 * HEAD + 48};

	for (size_t cut = HEAD; cut < ends[3]; cut++) {
		size_t len, whole = 0;
		char *bytes = make(&len, cut & 1), offset[32];
		_cleanup_(stacks_freep) struct dusk_stacks *s = parse(realloc(bytes, cut), cut);

		while (ends[whole + 1] <= cut)
			whole++;
		assert_first(s, whole);
		snprintf(offset, sizeof(offset), "byte %zu", cut);
		assert_non_null(strstr(s->damage, offset));
	}
}

static void trailing_bytes_are_reported_and_nothing_is_lost(void **state)
{
	size_t len;
	char *bytes = make(&len, false);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

	bytes = realloc(bytes, len + 5);
	memset(bytes + len, 1, 5);
	s = parse(bytes, len + 5);
	assert_first(s, 3);
	assert_string_equal(s->damage, "byte 112: 5 bytes more follow the last of 3 stacks");
}

/* Break 4 bytes of the second stack's head; the first one is whole. */
static void expect_broken(size_t at, uint32_t value, const char *says)
{
	size_t len;
	char *bytes = make(&len, false);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

	memcpy(bytes + 2 * HEAD + 16 + at, &value, sizeof(value));
	s = parse(bytes, len);
	assert_first(s, 1);
	if (!strstr(s->damage, says))
		fail_msg("%s", s->damage);
}

static void a_stack_that_cannot_be_ends_it(void **state)
{
	expect_broken(4, 0, "byte 48: stack 2 of 3 is none: it has no frames");
	expect_broken(12, 1, "byte 48: stack 2 of 3 is none: what is reserved is not 0");
	expect_broken(4, 7, "byte 48: stack 2 of 3 has 7 frames, and the file ends at byte 112");
	expect_broken(4, UINT32_MAX, "4294967295 frames");
}

static void a_number_of_stacks_that_cannot_be_is_no_harm(void **state)
{
	uint32_t many = UINT32_MAX;
	size_t len;
	char *bytes = make(&len, false);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

	memcpy(bytes + 8, &many, sizeof(many));
	s = parse(bytes, len);
	assert_first(s, 3);
	assert_string_equal(s->damage, "the file ends at byte 112, in stack 4 of 4294967295");
}

static void expect_refused(size_t at, uint32_t value, size_t len, int code, const char *says)
{
	struct dusk_error err = {""};
	struct dusk_stacks *s = NULL;
	size_t whole;
	char *bytes = make(&whole, false);

	memcpy(bytes + at, &value, sizeof(value));
	assert_int_equal(fsmb_parse(&s, bytes, len ?: whole, "it", &err), code);
	assert_null(s);
	if (!strstr(err.text, says))
		fail_msg("%s", err.text);
}

static void other_files_and_versions_are_refused(void **state)
{
	expect_refused(0, 0x464c457f, 0, -EINVAL, "it begins with 0x464c457f");
	expect_refused(0, 0x464d5342, 15, -EINVAL, "it has 15 bytes, and a header 16");
	expect_refused(4, 3, 0, -EPROTONOSUPPORT, "is of version 3 of FSMB, and this dusk reads 2");
}

static void equal_stacks_become_one_with_the_references_of_all(void **state)
{
	struct dusk_stack twice[] = {some[0], some[1], some[0], {1, 1, 5, frames}, some[0]};
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	struct stackset set = {};

	for (size_t i = 0; i < 5; i++) {
		twice[i].id = 100 + i;
		assert_int_equal(stackset_add(&set, &twice[i]), 0);
	}
	assert_int_equal(stackset_steal(&s, &set), 0);
	assert_int_equal(s->nr, 3);
	assert_int_equal(s->merged, 2);
	assert_int_equal(s->v[0].id, 100);
	assert_int_equal(s->v[0].refs, 3 * 1337);
	assert_int_equal(s->v[2].refs, 5);
}

/* A text may name either of them. */
static void each_number_leads_to_its_stack_also_that_of_an_equal_one(void **state)
{
	static struct dusk_stack twice[] = {{42, 2, 1, frames}, {7, 3, 1, frames + 3}, {43, 2, 1, frames}};
	static const struct dusk_stacks three = {.nr = 3, .v = twice};
	int fd = memfd_create("stacks", MFD_CLOEXEC);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	const struct dusk_stack *found = NULL;
	char path[32];

	assert_int_equal(dusk_stacks_write(&three, fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(dusk_stacks_read(&s, path, NULL), 0);
	close(fd);
	assert_int_equal(s->nr, 2);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(dusk_stacks_by_id(s, twice[i].id, &found), 0);
		assert_int_equal(found->nr, twice[i].nr);
		assert_memory_equal(found->frame, twice[i].frame, found->nr * sizeof(uint64_t));
	}
	assert_int_equal(dusk_stacks_by_id(s, 44, &found), -ENOENT);
	assert_int_equal(s->identity, 0);
}

/* Nobody could say which of the two is meant. */
static void an_id_stands_for_one_stack(void **state)
{
	struct dusk_stack ids[] = {
		{42, 2, 1, frames}, {7, 3, 1, frames + 3}, {42, 1, 1, frames + 2}, {8, 1, 1, frames}};
	struct dusk_stacks four = {.nr = 4, .v = ids};
	const struct dusk_stack *found = NULL;

	for (int equal = 0; equal < 2; equal++) {
		int fd = memfd_create("stacks", MFD_CLOEXEC);
		_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
		char path[32];

		if (equal)
			ids[2] = ids[0];
		assert_int_equal(dusk_stacks_write(&four, fd), 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_int_equal(dusk_stacks_read(&s, path, NULL), 0);
		close(fd);
		assert_int_equal(s->nr, 2);
		assert_string_equal(s->damage, "byte 88: stack 3 of 4 has the id of an earlier one, 42");
		assert_int_equal(dusk_stacks_by_id(s, 42, &found), 0);
		assert_int_equal(found->nr, 2);
	}
}

static void counts_beyond_the_format_end_at_its_largest(void **state)
{
	struct dusk_stack one = {1, 1, 1ULL << 40, frames};
	struct dusk_stacks in = {.nr = 1, .v = &one};
	int fd = memfd_create("stacks", MFD_CLOEXEC);
	uint32_t refs;

	assert_int_equal(dusk_stacks_write(&in, fd), 0);
	assert_int_equal(pread(fd, &refs, sizeof(refs), HEAD + 8), sizeof(refs));
	assert_true(refs == UINT32_MAX);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_in_either_byte_order),
		cmocka_unit_test(the_layout_is_that_of_the_kernel),
		cmocka_unit_test(wherever_it_is_cut_what_is_whole_is_there_and_where_it_ends_is_said),
		cmocka_unit_test(trailing_bytes_are_reported_and_nothing_is_lost),
		cmocka_unit_test(a_stack_that_cannot_be_ends_it),
		cmocka_unit_test(a_number_of_stacks_that_cannot_be_is_no_harm),
		cmocka_unit_test(other_files_and_versions_are_refused),
		cmocka_unit_test(equal_stacks_become_one_with_the_references_of_all),
		cmocka_unit_test(each_number_leads_to_its_stack_also_that_of_an_equal_one),
		cmocka_unit_test(an_id_stands_for_one_stack),
		cmocka_unit_test(counts_beyond_the_format_end_at_its_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
