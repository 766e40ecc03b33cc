/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the FDE of a PC found, by the table and without one, and only if it is there? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/tables/encoding.h"
#include "port/image.h"
#include "port/port_buffer.h"

static struct image im;
static struct ehframe e;
static struct range range;

static void use_table(void)
{
	range = (struct range){.hdr = IMAGE_HDR, .kind = MODULE_ELF, .nr_entries = im.nr};
	memset(&e, 0xaa, sizeof(e));
	ehframe_start(&e);
	e.page.len = e.spared = e.cfi.spared = 0;
}

static void use_scan(void)
{
	use_table();
	range.hdr = IMAGE_EH_FRAME;
	range.kind = MODULE_SCANNED;
}

static u32 find(u64 pc)
{
	u32 outcome;

	e.pc = pc;
	e.module = range.module;
	e.pause.of = 0; /* another walk */
	outcome = ehframe_find(&e, &range);
	ehframe_keep(&e);
	return outcome;
}

/* @nr functions of 16 bytes, 32 bytes apart. */
static void functions(u32 nr)
{
	port_reset();
	image_init(&im);
	for (u32 i = 0; i < nr; i++)
		image_fde(&im, IMAGE_CODE + 32 * i, 16, INSNS(0x0e, 16 + i));
	image_map(&im);
}

/* Every PC from before the first function to after the last one. */
static void check_all(u32 nr)
{
	for (u64 pc = IMAGE_CODE - 40; pc < IMAGE_CODE + 32 * nr + 40; pc++) {
		u64 off = pc - IMAGE_CODE;
		bool inside = pc >= IMAGE_CODE && off / 32 < nr && off % 32 < 16;

		assert_int_equal(find(pc), inside ? 0 : NO_FDE);
		if (!inside)
			continue;
		assert_int_equal(e.fde.start, pc - off % 32);
		assert_int_equal(e.fde.size, 16);
		assert_int_equal(im.bytes[e.fde.insns + 1 - IMAGE_BASE], 16 + off / 32);
		assert_int_equal(ehframe_cie(&e)->key, im.cie);
	}
}

static void each_pc_has_its_fde_by_the_table(void **state)
{
	static const u32 sizes[] = {0, 1, 2, 3, 7, 8, MAX_FUNCTIONS};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		functions(sizes[i]);
		use_table();
		check_all(sizes[i]);
	}
}

static void each_pc_has_its_fde_without_a_table(void **state)
{
	static const u32 sizes[] = {0, 1, 2, 7, MAX_FUNCTIONS};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		functions(sizes[i]);
		use_scan();
		check_all(sizes[i]);
	}
}

static void a_table_that_claims_too_many_entries_finds_what_is_there(void **state)
{
	functions(8);
	use_table();
	range.nr_entries = ~0u;
	for (u32 i = 0; i < 8; i++)
		assert_true(find(IMAGE_CODE + 32 * i) == 0 || e.error == TABLE_UNREADABLE);
	range.nr_entries = 9; /* one entry of zeroes, beyond all functions */
	assert_int_equal(find(IMAGE_CODE), 0);
}

/* A file that has never been met. */
static u32 fresh_module(void)
{
	static u32 last;

	return ++last;
}

/* What a table says that is looked through from its beginning. */
static u32 last_before(const struct ehframe_entry *entry, u32 nr, u64 pc)
{
	u32 found = nr;

	for (u32 i = 0; i < nr; i++)
		if (IMAGE_HDR + (s64)entry[i].start_off <= pc)
			found = i;
	return found;
}

/* Entries of a sorted table, at most @gap bytes apart but for one in 16, which may be @jump away. */
static void make_table(struct ehframe_entry *entry, u32 nr, u32 gap, u32 jump)
{
	s32 start_off = -(s32)(rand() % 1000);

	for (u32 i = 0; i < nr; i++) {
		start_off += rand() % (gap + 1) + (rand() % 16 ? 0 : rand() % (jump + 1));
		entry[i] = (struct ehframe_entry){start_off, 0x10000000 + 8 * i}; /* no FDE is there */
	}
}

/* Is the entry of @pc the one that a plain search finds? */
static void check_entry(const struct ehframe_entry *entry, u32 nr, u64 pc)
{
	u32 expected = last_before(entry, nr, pc), outcome = find(pc);

	if (expected == nr) {
		assert_int_equal(outcome, NO_FDE);
		return;
	}
	assert_int_equal(outcome, TABLE_UNREADABLE);
	assert_int_equal(e.fde.addr, IMAGE_HDR + (u64)entry[expected].fde_off);
	assert_int_equal(e.fde.start, IMAGE_HDR + (s64)entry[expected].start_off);
}

static void any_sorted_table_is_searched_rightly(void **state)
{
	static const struct {
		u32 gap, jump;
	} shapes[] = {{32, 0}, {0, 0}, {1, 1}, {3, 100000}, {500, 10}};
	static struct table {
		u8 header[12];
		struct ehframe_entry entry[3000];
	} table;

	srand(1);
	for (u32 round = 0; round < 400; round++) {
		u32 nr = round < 200 ? round : rand() % COUNT(table.entry);

		make_table(table.entry, nr, shapes[round % COUNT(shapes)].gap, shapes[round % COUNT(shapes)].jump);
		port_reset();
		port_map(IMAGE_HDR, &table, sizeof(table), (struct vma){0});
		im.nr = nr;
		use_table();
		range.module = round % 4 ? fresh_module() : 0;
		for (u32 i = 0; i < 100; i++) {
			const struct ehframe_entry *near = &table.entry[nr ? rand() % nr : 0];

			check_entry(table.entry, nr, IMAGE_HDR + (s64)near->start_off + rand() % 3 - 1);
		}
		check_entry(table.entry, nr, 0);
		check_entry(table.entry, nr, 1ULL << 47);
	}
}

static void a_search_that_was_done_before_needs_no_read(void **state)
{
	static struct table {
		u8 header[12];
		struct ehframe_entry entry[20000];
	} table;
	u32 module = fresh_module(), before;
	u64 pc;

	make_table(table.entry, COUNT(table.entry), 32, 0);
	pc = IMAGE_HDR + (s64)table.entry[12345].start_off;
	port_reset();
	port_map(IMAGE_HDR, &table, sizeof(table), (struct vma){0});
	im.nr = COUNT(table.entry);
	use_table();
	range.module = module;
	check_entry(table.entry, im.nr, pc);
	assert_true(port_reads() > 8);
	before = port_reads();
	check_entry(table.entry, im.nr, pc);
	assert_int_equal(port_reads() - before, 1); /* the FDE, which is not there */

	/* Another walker knows of the halvings, but has to read the entries. */
	use_table();
	range.module = module;
	before = port_reads();
	check_entry(table.entry, im.nr, pc);
	assert_int_equal(port_reads() - before, 1 + 1);

	/* Of another file it knows nothing. */
	range.module = fresh_module();
	before = port_reads();
	check_entry(table.entry, im.nr, pc);
	assert_true(port_reads() - before > 8);
}

/* The row of function @i of functions(), @moved bytes from where it was. Returns how many reads that took. */
static u32 reads_of_row(u32 i, u64 moved)
{
	u32 before = port_reads();

	assert_int_equal(find(IMAGE_CODE + 32 * i + moved), 0);
	assert_int_equal(ehframe_row(&e), 0);
	assert_int_equal(e.cfi.row.cfa_off, 16 + i);
	assert_int_equal(e.cfi.row.rule[SLOT_RA], RULE_OFFSET);
	assert_int_equal(e.cfi.row.off[SLOT_RA], -8);
	return port_reads() - before;
}

static void what_is_known_of_a_file_is_not_read_again(void **state)
{
	functions(3);
	use_table();
	range.module = fresh_module();
	assert_int_equal(reads_of_row(0, 0), 5); /* table, FDE, CIE, FDE, and the programs of both */
	ehframe_start(&e);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(reads_of_row(i, 0), 1);
}

static void what_is_known_of_a_file_is_known_wherever_it_is_mapped(void **state)
{
	u64 moved = 0x10000000;

	functions(3);
	use_table();
	range.module = fresh_module();
	assert_int_equal(find(IMAGE_CODE), 0); /* its CIE is read, but not run */
	port_reset();
	port_map(IMAGE_BASE + moved, im.bytes, sizeof(im.bytes), (struct vma){0});
	range.hdr += moved;
	range.bias += moved;
	assert_int_equal(reads_of_row(1, moved), 2); /* FDE, programs */
	assert_int_equal(reads_of_row(2, moved), 1);
}

static void of_a_file_without_a_number_nothing_is_known_to_another_walk(void **state)
{
	functions(3);
	use_table();
	assert_int_equal(reads_of_row(0, 0), 5);
	assert_int_equal(reads_of_row(1, 0), 2); /* the same walk: only the table is read again */
	ehframe_start(&e);
	assert_int_equal(reads_of_row(2, 0), 5);
}

/* One function under a CIE of @augmentation. */
static u32 find_under(const char *augmentation, const u8 *data, u32 data_len)
{
	port_reset();
	image_init(&im);
	image_cie(&im, augmentation, data, data_len, INSNS(0x0c, REG_SP, 8, 0x80 | REG_RA, 1));
	image_fde(&im, IMAGE_CODE, 16, INSNS(0x0e, 77));
	image_map(&im);
	use_table();
	return find(IMAGE_CODE);
}

static void augmentations_are_understood(void **state)
{
	static const u8 personality4[] = {0x9b, 1, 2, 3, 4, 0x1b, 0x1b};
	static const u8 personality8[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b, 0x1b};
	static const u8 personality2[] = {0x02, 1, 2, 0x1b, 0x1b};

	assert_int_equal(find_under("zR", INSNS(0x1b)), 0);
	assert_int_equal(ehframe_cie(&e)->signal, 0);
	assert_int_equal(find_under("zRS", INSNS(0x1b)), 0);
	assert_int_equal(ehframe_cie(&e)->signal, ROW_SIGNAL);
	assert_int_equal(find_under("zPLR", personality4, sizeof(personality4)), 0);
	assert_int_equal(ehframe_cie(&e)->encoding, PE_SDATA4_PCREL);
	assert_int_equal(find_under("zPLR", personality8, sizeof(personality8)), 0);
	assert_int_equal(ehframe_cie(&e)->encoding, PE_SDATA4_PCREL);
	assert_int_equal(find_under("zPLR", personality2, sizeof(personality2)), 0);
	assert_int_equal(find_under("zLR", INSNS(0x1b, 0x1b)), 0);
	assert_int_equal(find_under("zRB", INSNS(0x1b)), 0);
	assert_int_equal(find_under("zRG", INSNS(0x1b)), 0);
	assert_int_equal(find_under("zR", INSNS(0x1b, 9, 9, 9)), 0); /* more data than letters: skipped */
	assert_int_equal(im.bytes[e.cfi.initial_insns - IMAGE_BASE], 0x0c);
}

static void other_augmentations_are_refused(void **state)
{
	assert_int_equal(find_under("eh", NULL, 0), BAD_CIE);
	assert_int_equal(find_under("zQ", INSNS(0x1b)), BAD_CIE);
	assert_int_equal(find_under("R", INSNS(0x1b)), BAD_CIE);
	assert_int_equal(find_under("zRRRRRRRRRR", INSNS(0x1b)), BAD_CIE);
}

static void the_encoding_says_how_large_the_size_is(void **state)
{
	assert_int_equal(find_under("zR", INSNS(PE_UDATA4)), 0);
	assert_int_equal(e.fde.size, 16);
	assert_int_equal(find_under("zR", INSNS(0x0c)), 0); /* sdata8: the size is the second eight bytes */
	assert_true(e.fde.size != 16);
	assert_int_equal(find_under("zR", INSNS(PE_UDATA2)), BAD_ENCODING);
	assert_int_equal(find_under("zR", INSNS(0x01)), BAD_ENCODING);
}

/* An FDE with addresses of eight bytes, and a CIE that says nothing of encodings. */
static void absolute_addresses_of_eight_bytes(void **state)
{
	struct writer *w = &im.eh_frame;

	for (int scan = 0; scan < 2; scan++) {
		port_reset();
		image_init(&im);
		image_cie(&im, "", NULL, 0, INSNS(0x0c, 7, 8));
		im.start[im.nr] = (u32)(IMAGE_CODE - IMAGE_HDR);
		im.fde[im.nr++] = here(w) - IMAGE_HDR;
		put32(w, 24);
		put32(w, here(w) - im.cie);
		put64(w, IMAGE_CODE);
		put64(w, 48);
		put(w, "\x0e\x20\0\0", 4);
		image_map(&im);
		scan ? use_scan() : use_table();
		assert_int_equal(find(IMAGE_CODE + 47), 0);
		assert_int_equal(e.fde.start, IMAGE_CODE);
		assert_int_equal(e.fde.size, 48);
		assert_int_equal(im.bytes[e.fde.insns - IMAGE_BASE], 0x0e);
		assert_int_equal(find(IMAGE_CODE + 48), NO_FDE);
	}
}

static void each_fde_goes_by_its_own_cie(void **state)
{
	u64 first, second;

	for (int scan = 0; scan < 2; scan++) {
		port_reset();
		image_init(&im);
		first = im.cie;
		image_fde(&im, IMAGE_CODE, 16, INSNS(0));
		second = image_cie(&im, "zRS", INSNS(0x1b), INSNS(0));
		image_fde(&im, IMAGE_CODE + 32, 16, INSNS(0));
		image_map(&im);
		scan ? use_scan() : use_table();
		for (int round = 0; round < 2; round++) {
			assert_int_equal(find(IMAGE_CODE), 0);
			assert_int_equal(ehframe_cie(&e)->key, first);
			assert_int_equal(ehframe_cie(&e)->signal, 0);
			assert_int_equal(find(IMAGE_CODE + 32), 0);
			assert_int_equal(ehframe_cie(&e)->key, second);
			assert_int_equal(ehframe_cie(&e)->signal, ROW_SIGNAL);
		}
	}
}

static void version_3_has_its_ra_column_as_leb128(void **state)
{
	struct writer *w = &im.eh_frame;
	u32 start;

	port_reset();
	image_init(&im);
	im.cie = here(w);
	put32(w, 0);
	start = w->len;
	put32(w, 0);
	put8(w, 3);
	put_text(w, "zR");
	put_uleb(w, 4);
	put_sleb(w, -4);
	put(w, "\x90\0", 2); /* 16, in two bytes */
	put_uleb(w, 1);
	put8(w, 0x1b);
	fix32(w, start - 4, w->len - start);
	image_fde(&im, IMAGE_CODE, 16, INSNS(0));
	image_map(&im);
	use_table();
	assert_int_equal(find(IMAGE_CODE), 0);
	assert_int_equal(ehframe_cie(&e)->code_align, 4);
	assert_int_equal(ehframe_cie(&e)->data_align, -4);
	assert_int_equal(ehframe_cie(&e)->encoding, PE_SDATA4_PCREL);
	assert_int_equal(ehframe_cie(&e)->insns, ehframe_cie(&e)->end);
	im.bytes[0x3000 + start + 4] = 4;
	use_table();
	assert_int_equal(find(IMAGE_CODE), BAD_CIE);
}

#define SECOND_PAGE (IMAGE_EH_FRAME + PAGE_BYTES)

/*
 * A CIE and the FDE of a function, which says CFA = rsp + 77; of one of them @before bytes lie in the first page of
 * .eh_frame, and what does not is in the second page, which is not there.
 */
static void cut_at(u32 before, bool is_cie)
{
	port_reset();
	image_init(&im);
	if (is_cie) {
		seek(&im.eh_frame, SECOND_PAGE - before);
		image_cie(&im, "zRS", INSNS(0x1b), INSNS(0x0c, REG_SP, 8, 0x80 | REG_RA, 1));
		seek(&im.eh_frame, SECOND_PAGE + PAGE_BYTES);
	} else {
		image_cie(&im, "zRS", INSNS(0x1b), INSNS(0x0c, REG_SP, 8, 0x80 | REG_RA, 1));
		seek(&im.eh_frame, SECOND_PAGE - before);
	}
	image_fde(&im, IMAGE_CODE, 16, INSNS(0x0e, 77));
	image_map(&im);
	use_table();
	range.module = fresh_module();
}

static u32 outcome_at_code(void)
{
	u32 outcome = find(IMAGE_CODE);

	return outcome ? outcome : ehframe_row(&e);
}

static void what_is_absent_is_not_judged(bool is_cie, u32 whole)
{
	for (u32 before = 1; before < whole; before++) {
		cut_at(before, is_cie);
		port_not_safe(SECOND_PAGE, SECOND_PAGE + PAGE_BYTES);
		assert_int_equal(outcome_at_code(), PAGE_NOT_SAFE);
		port_not_safe(0, 0);
		assert_int_equal(outcome_at_code(), 0);
		assert_int_equal(e.cfi.row.cfa_off, 77);
		assert_int_equal(e.cfi.row.off[SLOT_RA], -8);
		assert_int_equal(e.cfi.row.flags, ROW_SIGNAL);
		assert_int_equal(ehframe_cie(&e)->encoding, PE_SDATA4_PCREL);
	}
}

static void an_fde_with_a_page_that_is_absent_is_neither_bad_nor_missing(void **state)
{
	what_is_absent_is_not_judged(false, 19);
}

static void a_cie_with_a_page_that_is_absent_is_neither_bad_nor_believed(void **state)
{
	what_is_absent_is_not_judged(true, 22);
}

static void hostile_lengths_and_pointers_are_refused(void **state)
{
	u32 fde, id;

	functions(1);
	fde = im.fde[0] + 0x2000;
	use_table();
	fix32(&im.eh_frame, fde - 0x3000, 0xffffffff); /* 64-bit DWARF */
	assert_int_equal(find(IMAGE_CODE), BAD_CIE);
	use_scan();
	assert_int_equal(find(IMAGE_CODE), NO_FDE);

	functions(1);
	use_table();
	fix32(&im.eh_frame, fde + 4 - 0x3000, 0); /* a CIE where an FDE should be */
	assert_int_equal(find(IMAGE_CODE), BAD_CIE);

	functions(1);
	use_table();
	id = (u32)(IMAGE_BASE + fde + 4); /* its CIE at address 0 */
	fix32(&im.eh_frame, fde + 4 - 0x3000, id);
	assert_int_equal(find(IMAGE_CODE), TABLE_UNREADABLE);
	use_scan();
	assert_int_equal(find(IMAGE_CODE), TABLE_UNREADABLE);

	functions(1);
	use_table();
	fix32(&im.eh_frame, fde + 4 - 0x3000, 8); /* its CIE is itself, nearly */
	assert_int_equal(find(IMAGE_CODE), BAD_CIE);

	functions(2);
	use_scan();
	fix32(&im.eh_frame, fde - 0x3000, 0x7ffffffc); /* the next entry lies beyond all memory */
	assert_int_equal(find(IMAGE_CODE + 32), TABLE_UNREADABLE);
	fix32(&im.eh_frame, fde - 0x3000, 5);
	assert_int_equal(find(IMAGE_CODE + 32), NO_FDE);
}

/* Move .eh_frame to the end of a mapping of its own. */
static u64 map_at_end(u8 *pages, u32 pages_len, u32 len)
{
	u64 addr = 0x600000 + pages_len - len;

	memset(pages, 0xcc, pages_len);
	memcpy(pages + pages_len - len, im.bytes + 0x3000, len);
	port_reset();
	port_map(0x600000, pages, pages_len, (struct vma){0});
	return addr;
}

static void a_section_may_end_with_its_mapping(void **state)
{
	static u8 pages[2 * PAGE_BYTES];
	u64 addr;
	u32 len;

	for (int terminated = 0; terminated < 2; terminated++) {
		functions(2);
		len = im.eh_frame.len - (terminated ? 0 : 4);
		addr = map_at_end(pages, sizeof(pages), len);
		use_scan();
		range.hdr = addr;
		for (u32 i = 0; i < 2; i++) { /* pc-relative: the code has moved with its table */
			u64 pc = IMAGE_CODE + 32 * i + addr - IMAGE_EH_FRAME;

			assert_int_equal(find(pc), 0);
			assert_int_equal(e.fde.size, 16);
		}
		assert_int_equal(find(0x10), terminated ? NO_FDE : TABLE_UNREADABLE);
	}
}

static void an_fde_across_the_end_of_its_mapping_is_not_believed(void **state)
{
	static u8 pages[2 * PAGE_BYTES];
	u32 fde, cut;
	u64 addr, pc;

	for (cut = 4; cut < 20; cut += 4) {
		functions(1);
		fde = im.fde[0] - 0x1000;
		addr = map_at_end(pages, sizeof(pages), fde + 20 - cut);
		pc = IMAGE_CODE + addr - IMAGE_EH_FRAME;
		use_scan();
		range.hdr = addr;
		assert_int_equal(find(pc), TABLE_UNREADABLE);
	}
	/* The same with a page that is there, but not safe to wait for. */
	functions(1);
	memcpy(pages, im.bytes + 0x3000, sizeof(pages));
	for (cut = 4; cut < 20; cut += 4) {
		u32 shift = PAGE_BYTES - (fde + 20 - cut);

		functions(1);
		memset(pages, 0, sizeof(pages));
		memcpy(pages + shift, im.bytes + 0x3000, im.eh_frame.len);
		port_reset();
		port_map(0x600000, pages, sizeof(pages), (struct vma){0});
		pc = IMAGE_CODE + 0x600000 + shift - IMAGE_EH_FRAME;
		use_scan();
		range.hdr = 0x600000 + shift;
		assert_int_equal(find(pc), 0);
		port_not_safe(0x600000 + PAGE_BYTES, 0x600000 + 2 * PAGE_BYTES);
		use_scan();
		range.hdr = 0x600000 + shift;
		assert_int_equal(find(pc), PAGE_NOT_SAFE);
	}
}

static void whichever_read_fails_the_answer_is_right_or_says_why(void **state)
{
	for (int scan = 0; scan < 2; scan++)
		for (int err = -EFAULT; err <= -EACCES; err++) {
			u32 refused = 0, outcome;

			for (u32 nth = 1; nth < 40; nth++) {
				functions(20);
				scan ? use_scan() : use_table();
				port_fail_read(nth, err, false);
				outcome = find(IMAGE_CODE + 5 * 32 + 3);
				if (!outcome)
					assert_int_equal(e.fde.start, IMAGE_CODE + 5 * 32);
				else
					assert_int_equal(outcome, err == -EACCES ? PAGE_NOT_SAFE : TABLE_UNREADABLE);
				refused += outcome != 0;
			}
			assert_true(refused > 0 && refused < 39);
		}
}

static void a_scan_that_waits_for_a_page_goes_on_where_it_was(void **state)
{
	static const u8 nops[150];
	static struct modules ms;
	u32 scanned = 0, waits = 0;

	port_reset();
	image_init(&im);
	for (u32 i = 0; i < MAX_FUNCTIONS; i++)
		image_fde(&im, IMAGE_CODE + 32 * i, 16, nops, sizeof(nops));
	image_map(&im);
	use_scan();
	port_wait_for_pages(&ms);
	e.pc = IMAGE_CODE + 32 * (MAX_FUNCTIONS - 1);
	e.module = e.sequence = 0;
	while (ehframe_find(&e, &range)) {
		assert_true(ms.wait.bytes);
		scanned += e.scanned;
		waits++;
		port_wait(&ms.page.word, ms.wait.bytes, ms.wait.addr);
		ms.wait.bytes = 0;
	}
	scanned += e.scanned;
	assert_int_equal(e.fde.start, e.pc);
	assert_true(waits >= 2);
	assert_true(scanned <= MAX_FUNCTIONS + 1 + waits);

	/* Not after the mappings have changed. */
	e.sequence = 2;
	e.scanned = 0;
	assert_int_equal(ehframe_find(&e, &range), 0);
	assert_true(e.scanned > MAX_FUNCTIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pc_has_its_fde_by_the_table),
		cmocka_unit_test(each_pc_has_its_fde_without_a_table),
		cmocka_unit_test(a_table_that_claims_too_many_entries_finds_what_is_there),
		cmocka_unit_test(any_sorted_table_is_searched_rightly),
		cmocka_unit_test(a_search_that_was_done_before_needs_no_read),
		cmocka_unit_test(what_is_known_of_a_file_is_not_read_again),
		cmocka_unit_test(what_is_known_of_a_file_is_known_wherever_it_is_mapped),
		cmocka_unit_test(of_a_file_without_a_number_nothing_is_known_to_another_walk),
		cmocka_unit_test(augmentations_are_understood),
		cmocka_unit_test(other_augmentations_are_refused),
		cmocka_unit_test(the_encoding_says_how_large_the_size_is),
		cmocka_unit_test(absolute_addresses_of_eight_bytes),
		cmocka_unit_test(each_fde_goes_by_its_own_cie),
		cmocka_unit_test(version_3_has_its_ra_column_as_leb128),
		cmocka_unit_test(an_fde_with_a_page_that_is_absent_is_neither_bad_nor_missing),
		cmocka_unit_test(a_cie_with_a_page_that_is_absent_is_neither_bad_nor_believed),
		cmocka_unit_test(hostile_lengths_and_pointers_are_refused),
		cmocka_unit_test(a_section_may_end_with_its_mapping),
		cmocka_unit_test(an_fde_across_the_end_of_its_mapping_is_not_believed),
		cmocka_unit_test(whichever_read_fails_the_answer_is_right_or_says_why),
		cmocka_unit_test(a_scan_that_waits_for_a_page_goes_on_where_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
