/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process may write to its own copies of a file's pages. Is what is learnt from them kept from all others?
 *
 * Two processes have the file, and one walker walks both, the one that writes first. Afterwards the other one's stacks
 * have to be what they are if the first was never there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <elf.h>

#include "abi/frame.h"
#include "port/image.h"
#include "port/port_buffer.h"

#define NR_FUNCTIONS 40 /* so that a search has to halve the table */
#define FUNCTION(n) (IMAGE_CODE + 32 * (n))
#define NO_FUNCTION (IMAGE_CODE + 0x800)
#define HEADERS 0x400 /* bytes of the file that the headers have, but for the notes */

static struct image im;
static u8 own[IMAGE_BYTES]; /* the pages of the process that writes */
static struct walk w;

struct seen {
	u32 outcome, nr;
	u64 frame[8];
};

/* Stacks that begin in function 1, 2, 3, and in code without an FDE. */
static const u64 pcs[] = {FUNCTION(1) + 1, FUNCTION(2) + 1, FUNCTION(3) + 1, NO_FUNCTION};
static struct seen truth[COUNT(pcs)];

/*
 * @elsewhere: the start of one more function, or 0; there is another one, with a larger frame, where its bytes are
 * mapped.
 */
static void make_image(u64 elsewhere)
{
	image_init(&im);
	image_fde(&im, FUNCTION(0), 32, INSNS(0x07, REG_RA));
	for (u32 i = 1; i < NR_FUNCTIONS; i++)
		image_fde(&im, FUNCTION(i), 32, INSNS(0x0e, 16));
	if (elsewhere) {
		image_fde(&im, IMAGE_CODE + 0x800, 32, INSNS(0x0e, 24));
		image_fde(&im, elsewhere, 32, INSNS(0x0e, 16));
	}
	for (u32 i = 0; i < 3; i++) {
		put64(&im.up, 1);
		put64(&im.up, FUNCTION(i < 2 ? 4 - i : 0) + 9);
	}
	memset(im.bytes + 0x1000, 0x90, 0x1000);
	im.bytes[NO_FUNCTION - IMAGE_BASE] = 0xc3;
	for (u32 i = 0; i < NR_FUNCTIONS; i++)
		im.bytes[FUNCTION(i) + 4 - IMAGE_BASE] = 0xe8;
	image_map(&im);
	memcpy(own, im.bytes, sizeof(own));
}

static void walk_from(u64 pc)
{
	image_start(&im, &w, pc);
	w.no_cache = 0;
	w.max_depth = 8;
	if (pc == NO_FUNCTION) { /* a ret: the return address is at rsp */
		w.machine.reg[REG_SP] += 8;
		walk_start(&w);
	}
	walk_stack(&w);
}

/* Another process: nothing of it is known. */
static void see(struct seen *ret, u64 pc)
{
	walk_from(pc);
	memset(ret, 0, sizeof(*ret));
	ret->outcome = w.outcome;
	ret->nr = w.out.nr;
	assert_true(ret->nr <= COUNT(ret->frame));
	for (u32 i = 0; i < ret->nr; i++)
		ret->frame[i] = w.out.frame[i] & (FRAME_RET | FRAME_ADDRESS);
}

static void begin(void)
{
	port_reset();
	make_image(0);
}

/* The process that has written walks everywhere, twice. What it sees is its own affair. */
static void walk_as_who_wrote(void)
{
	for (u32 i = 0; i < 2 * COUNT(pcs); i++)
		walk_from(pcs[i % COUNT(pcs)]);
}

static void check_others(const char *what, u32 where)
{
	struct seen seen;

	port_before_read(0, NULL);
	for (u64 at = 0; at < IMAGE_BYTES; at += at == 0x2000 ? IMAGE_BYTES : 0x1000)
		port_map_anew(IMAGE_BASE + at, im.bytes + at);
	for (u32 i = 0; i < COUNT(pcs); i++) {
		see(&seen, pcs[i]);
		if (memcmp(&seen, &truth[i], sizeof(seen)))
			fail_msg("%s %#x: from %#llx %u frames, outcome %u, not %u and %u", what, where,
				 (unsigned long long)pcs[i], seen.nr, seen.outcome, truth[i].nr, truth[i].outcome);
		assert_true(frame_module(w.out.frame[0]) > 0);
		assert_int_equal(module_here(&w.modules)->own_headers, 0);
	}
}

/* Bytes [@from, @to) of the file are changed, one at a time, in the mapping at @at. */
static void change_each(u64 at, u32 from, u32 to)
{
	static const u8 changes[] = {0xff, 8, 1};

	for (u32 i = 0; i < (to - from) * COUNT(changes); i++) {
		u32 where = from + i / COUNT(changes);

		begin();
		own[where] ^= changes[i % COUNT(changes)];
		port_write(IMAGE_BASE + at, own + at);
		walk_as_who_wrote();
		check_others("with a change at", where);
	}
}

static int learn_the_truth(void **state)
{
	memset(truth, 0, sizeof(truth));
	for (u32 i = 0; i < COUNT(pcs); i++) {
		begin();
		see(&truth[i], pcs[i]);
		assert_int_equal(truth[i].outcome, UNDEFINED_RA);
		assert_true(truth[i].nr > 3);
	}
	return 0;
}

static void no_byte_of_the_tables_that_a_process_changes_changes_others(void **state)
{
	u32 end;

	begin();
	end = 0x3000 + im.eh_frame.len;
	change_each(0x2000, 0x2000, 0x2000 + 12 + 8 * NR_FUNCTIONS);
	change_each(0x2000, 0x3000, end < 0x30c0 ? end : 0x30c0); /* the CIE, and the FDEs of the stacks */
}

static void no_byte_of_the_headers_that_a_process_changes_changes_others(void **state)
{
	change_each(0, 0, HEADERS);
	change_each(0, 0x800, 0x824);
}

static void no_byte_of_the_code_that_a_process_changes_changes_others(void **state)
{
	u32 at = NO_FUNCTION - IMAGE_BASE;

	change_each(0x1000, at - 8, at + 8);
	change_each(0x1000, 0x1000 + 32, 0x1000 + 32 + 16);
}

/* All that rows depend on: where functions begin, what CIE and FDEs say. */
static void poison(void)
{
	for (u32 i = 0; i < NR_FUNCTIONS; i++)
		memcpy(own + 0x2000 + 12 + 8 * i, own + 0x2000 + 12, 4);
	for (u32 i = 0x3000; i < 0x3020; i++)
		if (own[i] == 0x90 && own[i + 1] == 1)
			own[i + 1] = 2;
	for (u32 i = 0x3000; i < IMAGE_BYTES - 1; i++)
		if (own[i] == 0x0e && own[i + 1] == 16)
			own[i + 1] = 24;
}

static void write_to_tables(void)
{
	port_write(IMAGE_HDR, own + 0x2000);
}

static void what_is_written_while_it_is_read_is_not_believed(void **state)
{
	for (u32 nth = 1; nth < 80; nth++) {
		begin();
		poison();
		port_before_read(nth, write_to_tables);
		walk_as_who_wrote();
		check_others("written before read", nth);
	}
}

static void map_anew(void)
{
	port_map_anew(IMAGE_HDR, im.bytes + 0x2000);
}

static u32 reads_later;

static void write_for_some_reads(void)
{
	write_to_tables();
	port_before_read(reads_later, map_anew);
}

/* The copies are gone when they are looked for. */
static void what_is_mapped_anew_after_it_was_read_is_not_believed(void **state)
{
	for (u32 i = 0; i < 80 * 4; i++) {
		begin();
		poison();
		reads_later = 1 + i % 4;
		port_before_read(1 + i / 4, write_for_some_reads);
		walk_as_who_wrote();
		check_others("written and mapped anew before read", 1 + i / 4);
	}
}

static void an_entry_point_that_a_process_has_written_is_none_for_others(void **state)
{
	u64 entry = FUNCTION(2) + 1 - IMAGE_BASE;

	begin();
	memcpy(own + 0x18, &entry, sizeof(entry));
	port_write(IMAGE_BASE, own);
	walk_as_who_wrote();
	check_others("entry point", entry);
}

static void another_part_of_the_file_is_not_believed(void **state)
{
	struct vma like = {.dev = 1, .ino = IMAGE_INO, .offset = 0x4000};

	for (u32 counted = 0; counted < 2; counted++) {
		begin();
		poison();
		if (!counted)
			memset(own + 0x2008, 0, 4); /* a table of no entries */
		like.offset = 0x4000;
		port_unmap(IMAGE_HDR);
		port_map(IMAGE_HDR, own + 0x2000, IMAGE_BYTES - 0x2000, like);
		walk_as_who_wrote();
		port_unmap(IMAGE_HDR);
		like.offset = 0x2000;
		port_map(IMAGE_HDR, im.bytes + 0x2000, IMAGE_BYTES - 0x2000, like);
		check_others("at another offset", counted);
	}
}

static void another_file_is_not_believed(void **state)
{
	struct vma like = {.dev = 1, .ino = IMAGE_INO, .offset = 0x2000, .generation = 1};

	begin();
	poison();
	port_unmap(IMAGE_HDR);
	port_map(IMAGE_HDR, own + 0x2000, IMAGE_BYTES - 0x2000, like);
	walk_as_who_wrote();
	port_unmap(IMAGE_HDR);
	like.generation = 0;
	port_map(IMAGE_HDR, im.bytes + 0x2000, IMAGE_BYTES - 0x2000, like);
	check_others("of another file", 0);
}

/* .eh_frame goes on in another mapping. */
static void tables_that_leave_their_mapping_are_not_believed(void **state)
{
	struct vma like = {.dev = 1, .ino = IMAGE_INO, .offset = 0x2000};

	begin();
	poison();
	port_unmap(IMAGE_HDR);
	port_map(IMAGE_HDR, im.bytes + 0x2000, 0x1000, like);
	like.offset = 0x3000;
	like.copied = 1;
	port_map(IMAGE_EH_FRAME, own + 0x3000, IMAGE_BYTES - 0x3000, like);
	walk_as_who_wrote();
	port_unmap(IMAGE_EH_FRAME);
	port_unmap(IMAGE_HDR);
	like.offset = 0x2000;
	like.copied = 0;
	port_map(IMAGE_HDR, im.bytes + 0x2000, IMAGE_BYTES - 0x2000, like);
	check_others("in two mappings", 0);
}

/* The last program header lies in the page of code, which a process has written to: there are no tables, it says. */
static void copies__headers_in_two_mappings_are_not_believed(void **state)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)im.bytes;
	Elf64_Phdr *last = (Elf64_Phdr *)(own + 0x1000);
	struct seen alone, after;
	u32 bytes;

	for (u32 other = 0; other < 2; other++) {
		begin();
		bytes = eh->e_phnum * sizeof(*last);
		memmove(im.bytes + 0x1000 + sizeof(*last) - bytes, im.bytes + eh->e_phoff, bytes);
		eh->e_phoff = 0x1000 + sizeof(*last) - bytes;
		memcpy(own, im.bytes, sizeof(own));
		assert_int_equal(last->p_type, PT_GNU_EH_FRAME);
		last->p_offset += 0x800;
		last->p_vaddr += 0x800;
		if (other) {
			port_write(IMAGE_CODE, own + 0x1000);
			walk_as_who_wrote();
			port_map_anew(IMAGE_CODE, im.bytes + 0x1000);
		}
		see(other ? &after : &alone, FUNCTION(3) + 1);
	}
	assert_int_equal(alone.outcome, UNDEFINED_RA);
	assert_true(alone.nr > 3);
	assert_memory_equal(&after, &alone, sizeof(alone));
}

/*
 * The page of code is that of two segments, of which the second one is meant for somewhere else. A process maps the
 * page where the first one is meant to be, and goes through both.
 */
static void beyond_a_segment_nothing_is_believed(void **state)
{
	const u64 there = IMAGE_BASE + 0x11000, pc = there + 0x804;
	Elf64_Phdr *ph = (Elf64_Phdr *)(im.bytes + sizeof(Elf64_Ehdr));
	struct vma code = {.dev = 1, .ino = IMAGE_INO, .offset = 0x1000, .executable = 1};
	struct seen alone, after;

	for (u32 other = 0; other < 2; other++) {
		port_reset();
		make_image(there + 0x800);
		im.bytes[0x1800] = 0xe8;
		ph[1].p_filesz = ph[1].p_memsz = 0x800;
		ph[5] = ph[1];
		ph[5].p_offset += 0x800;
		ph[5].p_vaddr = 0x11800;
		((Elf64_Ehdr *)im.bytes)->e_phnum = 6;
		if (other) {
			im.stack[1] = IMAGE_CODE + 0x805;
			walk_from(FUNCTION(1) + 1);
			assert_int_equal(frame_offset(w.out.frame[1]), 0x1805);
			assert_true(w.out.nr > 2);
			im.stack[1] = FUNCTION(4) + 9;
		}
		port_map(there, im.bytes + 0x1000, 0x1000, code);
		see(other ? &after : &alone, pc);
	}
	assert_int_equal(alone.outcome, UNDEFINED_RA);
	assert_true(alone.nr > 3);
	assert_memory_equal(&after, &alone, sizeof(alone));
}

/* Without copies all is remembered: else the tests above would say nothing. */
static void what_is_the_files_is_remembered(void **state)
{
	struct seen seen;
	u32 reads;

	begin();
	walk_as_who_wrote();
	for (u32 i = 0; i < COUNT(pcs); i++) {
		reads = port_reads();
		see(&seen, pcs[i]);
		assert_memory_equal(&seen, &truth[i], sizeof(seen));
		assert_int_equal(w.row_misses, 0);
		assert_int_equal(w.modules.misses, 0);
		assert_true(port_reads() - reads <= 2);
	}
}

static void a_process_that_wrote_to_the_headers_has_the_modules_number(void **state)
{
	u32 number;

	begin();
	port_write(IMAGE_BASE, own);
	walk_as_who_wrote();
	number = frame_module(w.out.frame[0]);
	assert_true(number > 0);
	assert_int_equal(port_module(&w.modules.key)->kind, MODULE_UNREAD);
	assert_int_equal(port_module(&w.modules.key)->build_id_bytes, 0);
	check_others("headers written", 0);
	assert_int_equal(frame_module(w.out.frame[0]), number);
	assert_int_equal(port_module(&w.modules.key)->kind, MODULE_ELF);
	assert_int_equal(port_module(&w.modules.key)->build_id_bytes, 20);
}

/* As a process that began with a uprobe in the file: each page of it is a copy, and nothing in them was changed. */
static void copies__a_process_keeps_what_its_own_tables_say(void **state)
{
	u32 misses;

	begin();
	for (u64 at = 0; at < IMAGE_BYTES; at += at == 0x2000 ? IMAGE_BYTES : 0x1000)
		port_write(IMAGE_BASE + at, own + at);
	walk_from(FUNCTION(3) + 1);
	misses = w.row_misses;
	assert_true(misses > 3);
	image_again(&im, &w, FUNCTION(3) + 1);
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_int_equal(w.row_misses, 0);
	walk_from(FUNCTION(3) + 1); /* another process */
	assert_int_equal(w.row_misses, misses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beyond_a_segment_nothing_is_believed),
		cmocka_unit_test(what_is_the_files_is_remembered),
		cmocka_unit_test(no_byte_of_the_tables_that_a_process_changes_changes_others),
		cmocka_unit_test(no_byte_of_the_headers_that_a_process_changes_changes_others),
		cmocka_unit_test(no_byte_of_the_code_that_a_process_changes_changes_others),
		cmocka_unit_test(what_is_written_while_it_is_read_is_not_believed),
		cmocka_unit_test(what_is_mapped_anew_after_it_was_read_is_not_believed),
		cmocka_unit_test(an_entry_point_that_a_process_has_written_is_none_for_others),
		cmocka_unit_test(another_part_of_the_file_is_not_believed),
		cmocka_unit_test(another_file_is_not_believed),
		cmocka_unit_test(tables_that_leave_their_mapping_are_not_believed),
		cmocka_unit_test(copies__headers_in_two_mappings_are_not_believed),
		cmocka_unit_test(a_process_that_wrote_to_the_headers_has_the_modules_number),
		cmocka_unit_test(copies__a_process_keeps_what_its_own_tables_say),
	};

	return cmocka_run_group_tests(tests, learn_the_truth, NULL);
}
