/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does an ELF file in the target's memory say of itself? */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/tables/encoding.h"
#include "port/image.h"
#include "port/port_buffer.h"

static struct image im;
static struct modules ms;

static Elf64_Ehdr *header(void)
{
	return (Elf64_Ehdr *)im.bytes;
}

static Elf64_Phdr *segment(u32 n)
{
	return (Elf64_Phdr *)(im.bytes + sizeof(Elf64_Ehdr)) + n;
}

enum { FIRST, CODE, TABLES, NOTES, EH_FRAME_HDR }; /* image.c's program headers */

static void set_up(void)
{
	port_reset();
	image_init(&im);
	image_fde(&im, IMAGE_CODE, 16, INSNS(0));
	image_fde(&im, IMAGE_CODE + 32, 16, INSNS(0));
	image_map(&im);
}

static struct module *read(void)
{
	memset(&ms.read, 0xaa, sizeof(ms.read));
	ms.read.id = 0;
	elf_read(&ms, IMAGE_BASE);
	return &ms.read;
}

static void an_image_is_read(void **state)
{
	struct module *m;

	set_up();
	m = read();
	assert_int_equal(m->kind, MODULE_ELF);
	assert_int_equal(m->hdr, 0x2000);
	assert_int_equal(m->entry, 0x1f00);
	assert_int_equal(m->nr_entries, 2);
	assert_int_equal(m->nr_exec, 1);
	assert_int_equal(m->exec[0].off, 0x1000);
	assert_int_equal(m->exec[0].vaddr, 0x1000);
	assert_int_equal(m->exec[0].size, 0x1000);
	assert_int_equal(m->build_id_bytes, 20);
	for (u32 i = 0; i < 20; i++)
		assert_int_equal(m->build_id[i], 0xa0 + i);
}

static void what_is_no_elf_file_is_not_taken_for_one(void **state)
{
	set_up();
	header()->e_ident[EI_CLASS] = 3;
	assert_int_equal(read()->kind, MODULE_NOT_ELF);
	header()->e_ident[EI_CLASS] = ELFCLASS64;
	header()->e_ident[1] = 'e';
	assert_int_equal(read()->kind, MODULE_NOT_ELF);
}

static void headers_that_cannot_be_read_say_why(void **state)
{
	set_up();
	elf_read(&ms, 0x1000);
	assert_int_equal(ms.read.kind, MODULE_UNREADABLE);
	elf_read(&ms, 0);
	assert_int_equal(ms.read.kind, MODULE_UNREADABLE);
	header()->e_phoff = 0x100000;
	assert_int_equal(read()->kind, MODULE_UNREADABLE);

	set_up();
	segment(EH_FRAME_HDR)->p_vaddr = 0x100000;
	assert_int_equal(read()->kind, MODULE_UNREADABLE);
	for (u32 page = 0; page < 3; page += 2) { /* its headers, its tables */
		set_up();
		port_not_safe(IMAGE_BASE + page * PAGE_BYTES, IMAGE_BASE + (page + 1) * PAGE_BYTES);
		assert_int_equal(read()->kind, MODULE_NOT_SAFE);
	}
}

static void only_so_many_headers_are_looked_at(void **state)
{
	set_up();
	header()->e_phnum = 0xffff;
	assert_int_equal(read()->kind, MODULE_ELF);
	header()->e_phnum = 0;
	assert_int_equal(read()->kind, MODULE_NO_EH_FRAME);
	assert_int_equal(ms.read.nr_exec, 0);
}

static void only_so_many_segments_are_kept(void **state)
{
	set_up();
	header()->e_phnum = 12;
	for (u32 i = 5; i < 12; i++) {
		*segment(i) = *segment(i & 1 ? CODE : NOTES);
		segment(i)->p_vaddr += i * 0x10000;
	}
	assert_int_equal(read()->nr_exec, COUNT(ms.read.exec));
	assert_int_equal(ms.nr_notes, COUNT(ms.notes));
	assert_int_equal(ms.read.kind, MODULE_ELF);
}

static void link_time_addresses_may_begin_anywhere(void **state)
{
	struct module *m;

	set_up();
	for (u32 i = 0; i < 5; i++)
		segment(i)->p_vaddr += 0x7000000;
	m = read();
	assert_int_equal(m->kind, MODULE_ELF);
	assert_int_equal(m->hdr, 0x7002000);
	assert_int_equal(m->nr_entries, 2);
	assert_int_equal(m->build_id_bytes, 20);
}

static void without_a_table_the_header_leads_to_eh_frame(void **state)
{
	static const u8 other_forms[][4] = {
		{1, 0x1b, 0xff, 0xff},
		{1, 0x1b, 0x03, 0xff},
		{1, 0x1b, 0x03, 0x1b},
		{1, 0x1b, 0x04, 0x3b},
	};

	for (size_t i = 0; i < COUNT(other_forms); i++) {
		set_up();
		memcpy(im.bytes + 0x2000, other_forms[i], 4);
		assert_int_equal(read()->kind, MODULE_SCANNED);
		assert_int_equal(ms.read.hdr, 0x3000);
		assert_int_equal(ms.read.nr_entries, 0);
	}
}

static void a_header_of_an_unknown_form_is_no_header(void **state)
{
	static const u8 unknown[][4] = {
		{2, 0x1b, 0x03, 0x3b},
		{1, 0xff, 0x03, 0x3b},
		{1, 0x04, 0x03, 0x3b},
		{0},
	};

	for (size_t i = 0; i < COUNT(unknown); i++) {
		set_up();
		memcpy(im.bytes + 0x2000, unknown[i], 4);
		assert_int_equal(read()->kind, MODULE_NO_EH_FRAME);
	}
}

static void without_a_header_the_read_only_segments_are_searched(void **state)
{
	set_up();
	segment(EH_FRAME_HDR)->p_type = PT_NULL;
	assert_int_equal(read()->kind, MODULE_SCANNED);
	assert_int_equal(ms.read.hdr, 0x3000);
	im.bytes[0x3000 + 9] = 'x'; /* "zR" */
	assert_int_equal(read()->kind, MODULE_NO_EH_FRAME);
	im.bytes[0x3000 + 9] = 'z';
	segment(TABLES)->p_flags |= PF_W;
	assert_int_equal(read()->kind, MODULE_NO_EH_FRAME);
}

/* ld -z noseparate-code. A program with both kinds of segments has no tables among its code: it is not searched for nothing. */
static void where_nothing_is_apart_from_the_code_its_segment_is_searched(void **state)
{
	set_up();
	segment(EH_FRAME_HDR)->p_type = PT_NULL;
	segment(TABLES)->p_flags |= PF_X;
	assert_int_equal(read()->kind, MODULE_NO_EH_FRAME);
	segment(0)->p_flags |= PF_X;
	assert_int_equal(read()->kind, MODULE_SCANNED);
	assert_int_equal(ms.read.hdr, 0x3000);
	assert_int_equal(ms.read.tables_off, 0x3000);
}

/* A note of @type by @name at the end of what is there; @padded to 4 bytes. */
static void note(struct writer *w, const char *name, u32 type, u32 desc_bytes)
{
	put32(w, strlen(name) + 1);
	put32(w, desc_bytes);
	put32(w, type);
	put_text(w, name);
	put_align(w, 4);
	for (u32 i = 0; i < desc_bytes; i++)
		put8(w, i + 1);
	put_align(w, 4);
}

static struct writer notes(void)
{
	set_up();
	return (struct writer){.bytes = im.bytes + 0x800, .room = 0x400};
}

static u32 build_id_bytes(const struct writer *w)
{
	segment(NOTES)->p_filesz = w->len;
	return read()->build_id_bytes;
}

static void sframe_stands_in_where_there_is_no_eh_frame(void **state)
{
	set_up();
	header()->e_phnum = 6;
	segment(5)->p_type = 0x6474e554;
	segment(5)->p_vaddr = 0x5000;
	assert_int_equal(read()->kind, MODULE_ELF);
	assert_int_equal(ms.read.sframe, 0x5000);
	im.bytes[0x2000] = 2; /* .eh_frame_hdr of an unknown form */
	assert_int_equal(read()->kind, MODULE_SFRAME);
	segment(EH_FRAME_HDR)->p_type = PT_NULL;
	assert_int_equal(read()->kind, MODULE_SCANNED);
	im.bytes[0x3000 + 9] = 'x';
	assert_int_equal(read()->kind, MODULE_SFRAME);
	segment(5)->p_type = PT_NULL;
	assert_int_equal(read()->kind, MODULE_NO_EH_FRAME);
	assert_int_equal(ms.read.sframe, 0);
}

static void a_build_id_may_have_any_length_up_to_that_of_sha1(void **state)
{
	for (u32 bytes = 0; bytes <= 24; bytes++) {
		struct writer w = notes();

		note(&w, "GNU", NT_GNU_BUILD_ID, bytes);
		assert_int_equal(build_id_bytes(&w), bytes <= 20 ? bytes : 0);
		for (u32 i = 0; i < ms.read.build_id_bytes; i++)
			assert_int_equal(ms.read.build_id[i], i + 1);
	}
}

static void a_build_id_is_found_among_other_notes(void **state)
{
	struct writer w = notes();

	note(&w, "GNU", NT_GNU_ABI_TAG, 16);
	note(&w, "stapsdt", 3, 33);
	note(&w, "GNU", NT_GNU_BUILD_ID, 16);
	assert_int_equal(build_id_bytes(&w), 16);
	w = notes();
	note(&w, "Go", NT_GNU_BUILD_ID, 20);
	assert_int_equal(build_id_bytes(&w), 0);
}

static void notes_that_lie_do_no_harm(void **state)
{
	struct writer w = notes();

	note(&w, "GNU", NT_GNU_BUILD_ID, 20);
	segment(NOTES)->p_vaddr = 0x1000000;
	assert_int_equal(build_id_bytes(&w), 0);
	assert_int_equal(ms.read.kind, MODULE_ELF);
	w = notes();
	put32(&w, ~0u);
	put32(&w, ~0u);
	put64(&w, ~0ULL);
	assert_int_equal(build_id_bytes(&w), 0);
	w = notes();
	note(&w, "GNU", NT_GNU_BUILD_ID, 20); /* the segment ends before the note does */
	w.len = 15;
	assert_int_equal(build_id_bytes(&w), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_is_read),
		cmocka_unit_test(what_is_no_elf_file_is_not_taken_for_one),
		cmocka_unit_test(headers_that_cannot_be_read_say_why),
		cmocka_unit_test(only_so_many_headers_are_looked_at),
		cmocka_unit_test(only_so_many_segments_are_kept),
		cmocka_unit_test(link_time_addresses_may_begin_anywhere),
		cmocka_unit_test(without_a_table_the_header_leads_to_eh_frame),
		cmocka_unit_test(a_header_of_an_unknown_form_is_no_header),
		cmocka_unit_test(without_a_header_the_read_only_segments_are_searched),
		cmocka_unit_test(where_nothing_is_apart_from_the_code_its_segment_is_searched),
		cmocka_unit_test(sframe_stands_in_where_there_is_no_eh_frame),
		cmocka_unit_test(a_build_id_may_have_any_length_up_to_that_of_sha1),
		cmocka_unit_test(a_build_id_is_found_among_other_notes),
		cmocka_unit_test(notes_that_lie_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
