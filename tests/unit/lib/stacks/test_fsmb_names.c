/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do names go to a file with their stacks, and come back from it; and what of a file whose names are broken? */
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

#include "abi/frame.h"
#include "base/cleanup.h"
#include "lib/stacks/fsmb.h"
#include "lib/stacks/fsmb_section.h"
#include "lib/symbols/naming.h"
#include "parse_stacks.h"

#define HEAD 16
#define KERNEL 0xffffffff81000100
#define USER 0x0003800000001234
#define ALONE 0x0004000000000777 /* whose file is known, and no more */
#define CODE 0x00007f1200000040	 /* without a file */
#define UNKNOWN 0x0009000000000001

/* The kernel's frame is the innermost one here, and returned to there. */
static const uint64_t frames[] = {KERNEL, USER, ALONE, CODE, UNKNOWN, KERNEL + 0x100, KERNEL};
static struct dusk_stack some[] = {{42, 5, 1337, frames}, {99, 2, 1, frames + 5}};
#define STACKS_END (HEAD + 2 * HEAD + 7 * sizeof(uint64_t))

/* What each is called; NULL: its file is known. */
static const struct expected {
	uint32_t stack, i;
	const char *name, *module;
	uint64_t offset, size;
} expected[] = {
	{0, 0, "schedule", "[kernel]", 0x10, 0x90},
	{0, 1, "fsync", "libc.so.6", 0x12, 0},
	{0, 2, NULL, "xz", 0x777, 0},
	{0, 3, NULL, "[anon]", CODE, 0},
	{1, 0, "after", "[ext4]", 0, 0x40},
	{1, 1, "before", "[kernel]", 0x33, 0x33},
};
#define NR_EXPECTED (sizeof(expected) / sizeof(expected[0]))

static void give_names(struct dusk_stacks *s)
{
	struct naming n = {};

	assert_int_equal(naming_file(&n, 0xffff, "[kernel]", "00ff"), 0);
	assert_int_equal(naming_file(&n, 4, "/usr/bin/xz", "0123456789abcdef"), 0);
	assert_int_equal(naming_file(&n, 3, "/lib/libc.so.6", ""), 0);
	assert_int_equal(naming_file(&n, 3, "/not/this", "77"), 0);
	for (size_t k = 0; k < NR_EXPECTED; k++) {
		const struct expected *e = &expected[k];
		struct dusk_symbol symbol = {e->name, e->module, e->offset, e->size};

		assert_int_equal(naming_add(&n, &s->v[e->stack], e->i, &symbol), 0);
		assert_true(naming_has(&n, &s->v[e->stack], e->i));
	}
	assert_int_equal(naming_give(&n, s), 0);
	naming_done(&n);
}

static char *written(const struct dusk_stacks *s, size_t *len)
{
	int fd = memfd_create("stacks", MFD_CLOEXEC);
	char *bytes;

	assert_true(fd >= 0);
	assert_int_equal(dusk_stacks_write(s, fd), 0);
	*len = lseek(fd, 0, SEEK_END);
	bytes = malloc(*len);
	assert_int_equal(pread(fd, bytes, *len, 0), *len);
	close(fd);
	return bytes;
}

static void swap32(char *at, size_t nr)
{
	for (uint32_t *n = (void *)at; nr; nr--, n++)
		*n = bswap_32(*n);
}

static void swap64(char *at, size_t nr)
{
	for (uint64_t *n = (void *)at; nr; nr--, n++)
		*n = bswap_64(*n);
}

static uint32_t u32_at(const char *bytes, size_t at)
{
	uint32_t n;

	memcpy(&n, bytes + at, sizeof(n));
	return n;
}

static uint64_t u64_at(const char *bytes, size_t at)
{
	uint64_t n;

	memcpy(&n, bytes + at, sizeof(n));
	return n;
}

/* A section's head, and what it holds unless that is sections: returns where the next one begins. */
static size_t swap_section(char *bytes, size_t at)
{
	uint32_t tag = u32_at(bytes, at);
	uint64_t len = u64_at(bytes, at + 8);
	char *data = bytes + at + HEAD;

	swap32(bytes + at, 2);
	swap64(bytes + at + 8, 1);
	if (tag == 0x46524f4d)
		swap32(data, 2);
	for (size_t k = 0; tag == 0x4d4f4453 && k + 16 <= len; k += 16)
		swap32(data + k, 4);
	for (size_t k = 0; tag == 0x4e414d45 && k + 32 <= len; k += 32) {
		swap64(data + k, 1);
		swap32(data + k + 8, 6);
	}
	return at + HEAD + (tag == FSMB_SECTIONS ? 0 : (len + 7) / 8 * 8);
}

/* As a machine of the other byte order writes it. */
static void swap(char *bytes, size_t len)
{
	size_t at = HEAD;

	for (uint32_t i = 0, nr = u32_at(bytes, 8); i < nr; i++) {
		uint32_t frames_there = u32_at(bytes, at + 4);

		swap32(bytes + at, 4);
		swap64(bytes + at + HEAD, frames_there);
		at += HEAD + frames_there * sizeof(uint64_t);
	}
	while (at < len)
		at = swap_section(bytes, at);
	swap32(bytes, 4);
}

static char *make(size_t *len, bool swapped)
{
	struct dusk_stacks specimen = {.nr = 2, .v = some};
	char *bytes;

	give_names(&specimen);
	bytes = written(&specimen, len);
	stacknames_free(specimen.names);
	if (swapped)
		swap(bytes, *len);
	return bytes;
}

/* How many names are there? Those that are, are right. */
static size_t count_names(const struct dusk_stacks *s)
{
	struct dusk_symbol symbol;
	size_t nr = 0;

	for (size_t k = 0; k < NR_EXPECTED; k++) {
		const struct expected *e = &expected[k];

		if (e->stack >= s->nr || dusk_stacks_find(s, &s->v[e->stack], e->i, &symbol))
			continue;
		if (e->name && !symbol.name)
			continue; /* its file only */
		nr++;
		assert_string_equal(symbol.module, e->module);
		assert_int_equal(symbol.offset, e->offset);
		assert_int_equal(symbol.size, e->size);
		if (e->name)
			assert_string_equal(symbol.name, e->name);
		else
			assert_null(symbol.name);
	}
	return nr;
}

static void assert_modules(const struct dusk_stacks *s)
{
	static const struct dusk_stack_module modules[] = {
		{3, "/lib/libc.so.6", ""},
		{4, "/usr/bin/xz", "0123456789abcdef"},
		{0xffff, "[kernel]", "00ff"},
	};
	struct dusk_stack_module m;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(dusk_stacks_module(s, i, &m), 0);
		assert_int_equal(m.number, modules[i].number);
		assert_string_equal(m.path, modules[i].path);
		assert_string_equal(m.build_id, modules[i].build_id);
	}
	assert_int_equal(dusk_stacks_module(s, 3, &m), -ENOENT);
}

static void names_that_were_written_are_read_in_either_byte_order(void **state)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		size_t len;
		char *bytes = make(&len, swapped);
		_cleanup_(stacks_freep) struct dusk_stacks *s = parse(bytes, len);
		struct dusk_symbol symbol;

		assert_string_equal(s->damage, "");
		assert_int_equal(s->nr, 2);
		assert_int_equal(count_names(s), NR_EXPECTED);
		assert_int_equal(dusk_stacks_find(s, &s->v[0], 4, &symbol), -ENOENT);
		assert_modules(s);
	}
}

static void what_is_read_can_be_written_again_as_it_was(void **state)
{
	size_t len, again;
	char *bytes = make(&len, false);
	_cleanup_(freep) char *copy = memcpy(malloc(len), bytes, len);
	_cleanup_(stacks_freep) struct dusk_stacks *s = parse(bytes, len);
	_cleanup_(freep) char *second = written(s, &again);

	assert_int_equal(again, len);
	assert_memory_equal(second, copy, len);
}

static void which_stackmap_they_are_from_is_read_in_either_byte_order_with_names_and_without(void **state)
{
	for (int k = 0; k < 4; k++) {
		struct dusk_stacks specimen = {.nr = 2, .v = some, .identity = 0x5a0c11d2};
		_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
		char *bytes;
		size_t len;

		if (k & 1)
			give_names(&specimen);
		bytes = written(&specimen, &len);
		stacknames_free(specimen.names);
		if (k & 2)
			swap(bytes, len);
		s = parse(bytes, len);
		assert_string_equal(s->damage, "");
		assert_int_equal(s->identity, 0x5a0c11d2);
		assert_int_equal(count_names(s), k & 1 ? NR_EXPECTED : 0);
	}
}

/* A file of an architecture whose addresses have more bits, or fewer, than those of the reader's. */
static void code_without_a_file_has_its_address_whichever_architecture_wrote_it(void **state)
{
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t shift = k & 3;
		struct dusk_stacks specimen = {.nr = 2, .v = some, .address_shift = shift};
		_cleanup_(stacks_freep) struct dusk_stacks *s = NULL, *second = NULL;
		struct dusk_symbol symbol;
		char *bytes;
		size_t len;

		give_names(&specimen);
		bytes = written(&specimen, &len);
		stacknames_free(specimen.names);
		if (k & 4)
			swap(bytes, len);
		s = parse(bytes, len);
		assert_string_equal(s->damage, "");
		assert_int_equal(dusk_stacks_find(s, &s->v[0], 3, &symbol), 0);
		assert_int_equal(symbol.offset, (uint64_t)CODE << shift);
		bytes = written(s, &len); /* as it was */
		second = parse(bytes, len);
		assert_int_equal(second->address_shift, shift);
	}
}

static void without_names_there_is_nothing_behind_the_stacks(void **state)
{
	struct dusk_stacks bare = {.nr = 2, .v = some};
	size_t len, named_len;
	_cleanup_(freep) char *bytes = written(&bare, &len);
	_cleanup_(freep) char *named = make(&named_len, false);

	assert_int_equal(len, STACKS_END);
	assert_int_equal(u32_at(bytes, 12), 0);
	/* what a reader of stacks reads is the same; the header's last word tells that there is more */
	assert_memory_equal(named, bytes, 12);
	assert_int_equal(u32_at(named, 12), FSMB_SECTIONS);
	assert_memory_equal(named + HEAD, bytes + HEAD, STACKS_END - HEAD);
	assert_int_equal(u32_at(named, STACKS_END), FSMB_SECTIONS);
	assert_int_equal(STACKS_END + HEAD + u64_at(named, STACKS_END + 8), named_len);
	assert_int_equal(named_len % 8, 0);
}

static void wherever_it_is_cut_it_is_said_and_what_is_there_is_right(void **state)
{
	size_t whole, most = 0;

	free(make(&whole, false));
	for (size_t cut = HEAD; cut < whole; cut++) {
		size_t len, nr;
		char *bytes = realloc(make(&len, cut & 1), cut), end[32];
		_cleanup_(stacks_freep) struct dusk_stacks *s = parse(bytes, cut);

		snprintf(end, sizeof(end), "byte %zu", cut);
		if (!strstr(s->damage, end))
			fail_msg("cut at byte %zu: %s", cut, s->damage);
		if (cut < STACKS_END)
			continue;
		assert_int_equal(s->nr, 2);
		nr = count_names(s);
		assert_true(nr >= most);
		most = nr;
	}
	assert_int_equal(most, 2); /* files were whole, and names come last */
}

static void trailing_bytes_are_reported(void **state)
{
	size_t len;
	char *bytes = make(&len, false), says[64];
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

	bytes = realloc(bytes, len + 5);
	memset(bytes + len, 1, 5);
	s = parse(bytes, len + 5);
	assert_int_equal(count_names(s), NR_EXPECTED);
	snprintf(says, sizeof(says), "byte %zu: 5 bytes more follow the last section", len);
	assert_string_equal(s->damage, says);
}

/* Where the @nth section of ours begins: 0 text, 1 files, 2 names; 3 where they end. */
static size_t section(const char *bytes, int nth)
{
	size_t at = STACKS_END + HEAD;

	while (nth--)
		at += HEAD + (u64_at(bytes, at + 8) + 7) / 8 * 8;
	return at;
}

/* With a section more, of @len bytes of 0xff, as the first, second, ... of ours. */
static char *insert(size_t *len, int nth, uint32_t tag, uint32_t version, uint64_t bytes_there)
{
	char *bytes = make(len, false);
	size_t at = section(bytes, nth), more = HEAD + (bytes_there + 7) / 8 * 8;
	uint64_t all = u64_at(bytes, STACKS_END + 8) + more;

	bytes = realloc(bytes, *len + more);
	memmove(bytes + at + more, bytes + at, *len - at);
	*len += more;
	memset(bytes + at, 0xff, more);
	memcpy(bytes + at, &tag, sizeof(tag));
	memcpy(bytes + at + 4, &version, sizeof(version));
	memcpy(bytes + at + 8, &bytes_there, sizeof(bytes_there));
	memcpy(bytes + STACKS_END + 8, &all, sizeof(all));
	return bytes;
}

static void a_section_from_of_another_size_says_nothing(void **state)
{
	for (uint64_t bytes_there = 0; bytes_there < 24; bytes_there++) {
		size_t len;
		char *bytes = insert(&len, 3, 0x46524f4d, 1, bytes_there);
		_cleanup_(stacks_freep) struct dusk_stacks *s = parse(bytes, len);

		assert_int_equal(count_names(s), NR_EXPECTED);
		assert_int_equal(s->identity, bytes_there == 8 ? UINT32_MAX : 0);
		assert_int_equal(s->address_shift, 0);
		assert_non_null(strstr(s->damage, bytes_there == 8 ? "lack 4294967295 bits" : "section FROM has"));
	}
}

static void sections_that_are_unknown_are_skipped(void **state)
{
	static const uint32_t tags[][2] = {{0x58585858, 1}, {0x54455854, 2}, {0x4e414d45, 7}, {0, 0}};

	for (int nth = 0; nth < 4; nth++)
		for (size_t k = 0; k < 4; k++)
			for (uint64_t more = 0; more < 10; more++) {
				size_t len;
				char *bytes = insert(&len, nth, tags[k][0], tags[k][1], more);
				_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

				if (more & 1)
					swap(bytes, len);
				s = parse(bytes, len);
				assert_string_equal(s->damage, "");
				assert_int_equal(count_names(s), NR_EXPECTED);
				assert_modules(s);
			}
}

/* The zeros that fill the last section are not all there, whatever its holder says. */
static void a_section_that_is_not_filled_up_is_cut(void **state)
{
	for (int holder = 0; holder < 2; holder++) {
		size_t len;
		char *bytes = insert(&len, 3, 0x58585858, 1, 5);
		uint64_t all = u64_at(bytes, STACKS_END + 8) - 3;
		_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

		if (holder)
			memcpy(bytes + STACKS_END + 8, &all, sizeof(all));
		s = parse(bytes, len - 3);
		assert_non_null(strstr(s->damage, "is cut at byte"));
		assert_int_equal(count_names(s), NR_EXPECTED);
	}
}

static void sections_of_another_version_are_skipped(void **state)
{
	size_t len;
	char *bytes = make(&len, false);
	uint32_t version = 2;
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

	memcpy(bytes + STACKS_END + 4, &version, sizeof(version));
	s = parse(bytes, len);
	assert_string_equal(s->damage, "");
	assert_int_equal(s->nr, 2);
	assert_int_equal(count_names(s), 0);
}

/* Break some bytes of the @nth section, counted from its head; -1: of what holds them. */
static void expect_broken(int nth, size_t at, const void *value, size_t bytes_there, size_t names, const char *says)
{
	for (int swapped = 0; swapped < 2; swapped++) {
		size_t len;
		char *bytes = make(&len, false);
		_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

		memcpy(bytes + (nth < 0 ? STACKS_END : section(bytes, nth)) + at, value, bytes_there);
		if (swapped && bytes_there < 8 && at >= HEAD)
			swap(bytes, len); /* lengths are what it goes by */
		s = parse(bytes, len);
		assert_int_equal(s->nr, 2);
		if (!strstr(s->damage, says))
			fail_msg("'%s', not '%s'", s->damage, says);
		assert_int_equal(count_names(s), names);
	}
}

static void broken32(int nth, size_t at, uint32_t value, size_t names, const char *says)
{
	expect_broken(nth, at, &value, sizeof(value), names, says);
}

static void broken64(int nth, size_t at, uint64_t value, size_t names, const char *says)
{
	expect_broken(nth, at, &value, sizeof(value), names, says);
}

static void sections_that_cannot_be_end_it(void **state)
{
	broken32(-1, 0, 0x41414141, 0, "sections should follow, and 0x41414141 does");
	broken64(-1, 8, UINT64_MAX, NR_EXPECTED, "of 18446744073709551615 bytes is cut at byte");
	broken64(-1, 8, 8, 0, "the head of a section is cut");
	broken64(0, 8, UINT64_MAX, 0, "of 18446744073709551615 bytes is cut at byte");
	broken64(1, 8, UINT64_MAX - 3, 0, "section 0x4d4f4453 of 18446744073709551612 bytes is cut at byte");
	broken64(2, 8, 6 * 32 + 1, 2, "section 0x4e414d45 of 193 bytes is cut at byte");
	broken32(2, 0, 0x4d4f4453, 2, "there is a second section MODS");
}

static void entries_that_cannot_be_end_their_section(void **state)
{
	broken32(1, HEAD, 0, 5, "entry 1 of section MODS is none");
	broken32(1, HEAD + 16, 3, 5, "entry 2 of section MODS is none"); /* not by number */
	broken32(1, HEAD + 32, 0x10000, 6, "entry 3 of section MODS is none");
	broken32(1, HEAD + 32 + 4, 1 << 20, 6, "entry 3 of section MODS is none");
	broken32(1, HEAD + 32 + 8, UINT32_MAX, 6, "entry 3 of section MODS is none");
	broken64(2, HEAD + 32, 0, 3, "entry 2 of section NAME is none");
	broken32(2, HEAD + 32 + 8, 2, 3, "entry 2 of section NAME is none");
	broken32(2, HEAD + 12, UINT32_MAX, 2, "entry 1 of section NAME is none");
	broken32(2, HEAD + 16, UINT32_MAX, 2, "entry 1 of section NAME is none");
}

static void text_without_an_end_is_not_used(void **state)
{
	size_t len;
	char *bytes = make(&len, false);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;

	bytes[section(bytes, 0) + HEAD + u64_at(bytes, section(bytes, 0) + 8) - 1] = 'x';
	s = parse(bytes, len);
	assert_non_null(strstr(s->damage, "the last string of section TEXT has no end"));
	assert_int_equal(count_names(s), 0);
}

static void a_frame_that_is_called_two_things_has_no_name(void **state)
{
	static const struct dusk_symbol one = {"one", "[anon]", 1, 0}, other = {"other", "[anon]", 1, 0};
	const struct dusk_symbol *said[][3] = {
		{&one, &one, &one},
		{&one, &other, &other},
		{NULL, &one, &one},
		{&one, NULL, &one},
	};

	for (size_t k = 0; k < 4; k++) {
		struct dusk_stacks s = {.nr = 2, .v = some};
		struct dusk_symbol symbol;
		struct naming n = {};

		for (int i = 0; i < 3; i++)
			assert_int_equal(naming_add(&n, &s.v[0], 3, said[k][i]), 0);
		assert_int_equal(naming_give(&n, &s), 0);
		assert_int_equal(dusk_stacks_find(&s, &s.v[0], 3, &symbol), 0);
		assert_string_equal(symbol.name ?: "none", k ? "none" : "one");
		stacknames_free(s.names);
		naming_done(&n);
	}
}

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A profile of these arrays. */
#define PROFILE_OF(m, fn, f, n, s)                     \
	((struct dusk_profile){.nr_modules = NR(m),    \
			       .modules = (m),         \
			       .nr_functions = NR(fn), \
			       .functions = (fn),      \
			       .nr_frames = NR(f),     \
			       .frames = (f),          \
			       .nr_nodes = NR(n),      \
			       .nodes = (n),           \
			       .nr_samples = NR(s),    \
			       .samples = (s)})

static void names_of_a_profile_go_with_its_stacks(void **state)
{
	struct dusk_module modules[] = {
		{},
		{DUSK_MODULE_FILE, 7, "/usr/bin/xz", "aabb"},
		{DUSK_MODULE_KERNEL, 0, "[kernel]", "ccdd"},
		{DUSK_MODULE_ANON, 7, "[anon]", ""},
	};
	struct dusk_function functions[] = {{}, {"main", "main", "xz"}, {"vfs_read", "vfs_read", "[kernel]"}};
	struct dusk_frame p_frames[] = {
		{},
		{.module = 1, .function = 1, .offset = 0x1000, .function_offset = 5, .is_return = true},
		{.module = 2, .function = 2, .offset = KERNEL, .function_offset = 6},
		{.module = 3, .offset = 0x7000},
	};
	struct dusk_node nodes[] = {{}, {0, 1}, {1, 2}, {1, 3}, {2, 2}};
	struct dusk_sample samples[] = {{.node = 2}, {.node = 3}, {.node = 4}};
	struct dusk_profile p = PROFILE_OF(modules, functions, p_frames, nodes, samples);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	struct dusk_stack_module m;
	struct dusk_symbol symbol;

	assert_int_equal(dusk_stacks_of_profile(&s, &p), 0);
	assert_int_equal(dusk_stacks_name_by_profile(s, &p), 0);
	assert_int_equal(dusk_stacks_find(s, &s->v[0], 0, &symbol), 0);
	assert_string_equal(symbol.name, "vfs_read");
	assert_int_equal(dusk_stacks_find(s, &s->v[0], 1, &symbol), 0);
	assert_string_equal(symbol.name, "main");
	assert_int_equal(symbol.offset, 5);
	assert_int_equal(dusk_stacks_find(s, &s->v[1], 0, &symbol), 0);
	assert_null(symbol.name);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(dusk_stacks_find(s, &s->v[2], i, &symbol), 0);
		assert_string_equal(symbol.name, "vfs_read");
	}
	assert_int_equal(dusk_stacks_module(s, 0, &m), 0);
	assert_string_equal(m.build_id, "aabb");
	assert_int_equal(dusk_stacks_module(s, 1, &m), 0);
	assert_int_equal(m.number, 0xffff);
	assert_string_equal(m.build_id, "ccdd");
	assert_int_equal(dusk_stacks_module(s, 2, &m), -ENOENT);
}

/* The address of what is called by code of a profile whose code without a file ends at @high. */
static void assert_address(uint64_t high)
{
	struct dusk_module modules[] = {{}, {DUSK_MODULE_ANON, 7, "[anon]", ""}};
	struct dusk_function functions[] = {{}};
	struct dusk_frame p_frames[] = {
		{},
		{.module = 1, .offset = 0x7f1200004000, .is_return = true},
		{.module = 1, .offset = high},
	};
	struct dusk_node nodes[] = {{}, {0, 1}, {1, 2}};
	struct dusk_sample samples[] = {{.node = 2}};
	struct dusk_profile p = PROFILE_OF(modules, functions, p_frames, nodes, samples);
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	struct dusk_symbol symbol;

	assert_int_equal(dusk_stacks_of_profile(&s, &p), 0);
	assert_int_equal(dusk_stacks_name_by_profile(s, &p), 0);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(dusk_stacks_find(s, &s->v[0], i, &symbol), 0);
		assert_int_equal(symbol.offset, p_frames[2 - i].offset);
		assert_int_equal(frame_is_return(s->v[0].frame[i]), i);
	}
}

static void addresses_in_a_profile_of_any_architecture_go_with_its_stacks(void **state)
{
	assert_address(0x7fffffffeffe);
	assert_address(0xffff8e010044);
	assert_address(0x00fffff7b1a2c000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_were_written_are_read_in_either_byte_order),
		cmocka_unit_test(what_is_read_can_be_written_again_as_it_was),
		cmocka_unit_test(which_stackmap_they_are_from_is_read_in_either_byte_order_with_names_and_without),
		cmocka_unit_test(a_section_from_of_another_size_says_nothing),
		cmocka_unit_test(code_without_a_file_has_its_address_whichever_architecture_wrote_it),
		cmocka_unit_test(without_names_there_is_nothing_behind_the_stacks),
		cmocka_unit_test(wherever_it_is_cut_it_is_said_and_what_is_there_is_right),
		cmocka_unit_test(trailing_bytes_are_reported),
		cmocka_unit_test(sections_that_are_unknown_are_skipped),
		cmocka_unit_test(a_section_that_is_not_filled_up_is_cut),
		cmocka_unit_test(sections_of_another_version_are_skipped),
		cmocka_unit_test(sections_that_cannot_be_end_it),
		cmocka_unit_test(entries_that_cannot_be_end_their_section),
		cmocka_unit_test(text_without_an_end_is_not_used),
		cmocka_unit_test(a_frame_that_is_called_two_things_has_no_name),
		cmocka_unit_test(names_of_a_profile_go_with_its_stacks),
		cmocka_unit_test(addresses_in_a_profile_of_any_architecture_go_with_its_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
