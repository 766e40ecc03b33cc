/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the row of a PC found in .sframe, and is it only believed if it can be true? */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "port/image.h"
#include "port/port_buffer.h"

#define SECTION (IMAGE_BASE + 0x5000)
#define ROOM 0x800 /* for the index, and as much for the rows */
#define SORTED SFRAME_SORTED
#define PCREL SFRAME_PCREL
#define SP(off) 1, off /* a row's base, and the first of its words */
#define FP(off) 0, off
#define FROM(reg) ((reg) << SFRAME_REG_SHIFT | SFRAME_FROM_REG)
#define AT(reg) (FROM(reg) | SFRAME_LIES_THERE)
#define AT_CFA SFRAME_LIES_THERE

/* A section that is being written. */
static struct {
	u32 version, flags, nr, nr_rows, auxiliary;
	u8 start_code, word_code; /* sizes: 1 << code */
	u8 block;
	s8 fixed_fp, fixed_ra;
	u8 index_bytes[ROOM], row_bytes[ROOM], all[2 * ROOM + 64];
	struct writer index, rows;
	u32 count_at; /* where the count of rows of the last function is to be written */
	u32 len;
} sec;

static struct image im;
static struct walk walker;
static struct sframe s;
static struct range range;

static u32 entry_bytes(void)
{
	return sec.version == 1 ? 17 : sec.version == 2 ? 20 : 16;
}

static void begin(u32 version, u32 flags)
{
	memset(&sec, 0, sizeof(sec));
	sec.version = version;
	sec.flags = flags;
	sec.fixed_ra = -8;
	sec.auxiliary = flags & SFRAME_FRAME_POINTER ? 8 : 0;
	sec.index = (struct writer){.bytes = sec.index_bytes, .addr = SECTION + 28 + sec.auxiliary, .room = ROOM};
	sec.rows = (struct writer){.bytes = sec.row_bytes, .room = ROOM};
	range = (struct range){.sframe = SECTION, .kind = MODULE_SFRAME};
	memset(&s, 0xaa, sizeof(s));
	s.spared = 0;
}

enum { MASKED = 0x10, SIGNAL = 0x80, FLEXIBLE = 0x100 };

static void function(u64 start, u32 size, u32 attributes)
{
	struct writer *w = &sec.index;
	u64 from = sec.flags & PCREL ? here(w) : SECTION;
	u8 info = (attributes & 0xff) | sec.start_code;

	if (sec.version == 3)
		put64(w, start - from);
	else
		put32(w, start - from);
	put32(w, size);
	put32(w, sec.rows.len);
	sec.nr++;
	if (sec.version == 3) {
		sec.count_at = sec.rows.len;
		put16(&sec.rows, 0);
		put8(&sec.rows, info);
		put8(&sec.rows, attributes >> 8);
		put8(&sec.rows, sec.block);
		return;
	}
	sec.count_at = w->len;
	put32(w, 0);
	put8(w, info);
	if (sec.version == 2) {
		put8(w, sec.block);
		put16(w, 0);
	}
}

static void put_bytes(struct writer *w, u32 bytes, u32 val)
{
	put(w, &val, bytes);
}

static void words(u32 start, u32 from_sp, u32 nr, const s32 *word)
{
	u8 *count = sec.version == 3 ? &sec.row_bytes[sec.count_at] : &sec.index_bytes[sec.count_at];

	++*count;
	sec.nr_rows++;
	put_bytes(&sec.rows, 1 << sec.start_code, start);
	put8(&sec.rows, from_sp | nr << 1 | sec.word_code << 5);
	for (u32 i = 0; i < nr; i++)
		put_bytes(&sec.rows, 1 << sec.word_code, word[i]);
}
#define ROW(...) ROW_(__VA_ARGS__)
#define ROW_(start, from_sp, ...) \
	words(start, from_sp, sizeof((const s32[]){__VA_ARGS__}) / 4, (const s32[]){__VA_ARGS__})

/* Put the parts together. */
static void finish(void)
{
	struct writer w = {.bytes = sec.all, .addr = SECTION, .room = sizeof(sec.all)};

	put16(&w, 0xdee2);
	put8(&w, sec.version);
	put8(&w, sec.flags);
	put8(&w, 3);
	put8(&w, sec.fixed_fp);
	put8(&w, sec.fixed_ra);
	put8(&w, sec.auxiliary);
	put32(&w, sec.nr);
	put32(&w, sec.nr_rows);
	put32(&w, sec.rows.len);
	put32(&w, 0);
	put32(&w, sec.index.len);
	put(&w, "auxiliary", sec.auxiliary);
	put(&w, sec.index_bytes, sec.index.len);
	put(&w, sec.row_bytes, sec.rows.len);
	sec.len = w.len;
}

static void map(void)
{
	port_reset();
	port_map(SECTION, sec.all, sec.len, (struct vma){0});
}

static void done(void)
{
	finish();
	map();
}

static u32 find(u64 pc)
{
	s.pc = pc;
	return sframe_find(&s, &range);
}

/* The CFA as sentence: register and offset. */
static void check_cfa(u32 reg, s32 off)
{
	assert_int_equal(s.row.cfa_kind, CFA_REG);
	assert_int_equal(s.row.cfa_reg, reg);
	assert_int_equal(s.row.cfa_off, off);
}

static void check_rule(u32 slot, u32 rule, s32 off)
{
	assert_int_equal(s.row.rule[slot], rule);
	assert_int_equal(s.row.off[slot], off);
}

/* Functions of 16 bytes, 32 bytes apart, in three rows each. */
static void three_rows(u32 nr, bool backwards)
{
	for (u32 n = 0; n < nr; n++) {
		u32 i = backwards ? nr - 1 - n : n;

		function(IMAGE_CODE + 32 * i, 16, 0);
		ROW(0, SP(8));
		ROW(4, SP(16 + i), -16);
		ROW(9, FP(16), -16);
	}
	done();
}

static void check_three_rows(u32 nr)
{
	for (u64 pc = IMAGE_CODE - 40; pc < IMAGE_CODE + 32 * nr + 40; pc++) {
		u64 off = pc - IMAGE_CODE;
		bool inside = pc >= IMAGE_CODE && off / 32 < nr && off % 32 < 16;

		assert_int_equal(find(pc), inside ? 0 : NO_FDE);
		if (!inside)
			continue;
		check_cfa(off % 32 < 9 ? RSP : RBP, off % 32 < 4 ? 8 : off % 32 < 9 ? 16 + off / 32 : 16);
		check_rule(SLOT_RA, RULE_OFFSET, -8);
		check_rule(SLOT_RBP, off % 32 < 4 ? RULE_SAME : RULE_OFFSET, off % 32 < 4 ? 0 : -16);
	}
}

static void each_pc_has_its_row_in_every_version_and_encoding(void **state)
{
	static const u32 sizes[] = {0, 1, 2, 3, 8, 17};

	for (u32 version = 1; version <= 3; version++)
		for (u32 flags = 0; flags < 8; flags++)
			for (u32 code = 0; code < 9; code++)
				for (u32 i = 0; i < COUNT(sizes); i++) {
					begin(version, flags);
					sec.start_code = code % 3;
					sec.word_code = code / 3;
					three_rows(sizes[i], false);
					check_three_rows(sizes[i]);
				}
}

static void an_index_that_is_not_sorted_is_searched_from_end_to_end(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		begin(version, PCREL);
		three_rows(13, true);
		check_three_rows(13);
	}
}

static void what_sframe_does_not_say_is_lost(void **state)
{
	begin(2, SORTED);
	three_rows(1, false);
	assert_int_equal(find(IMAGE_CODE + 5), 0);
	check_rule(SLOT_RBX, RULE_UNDEFINED, 0);
	for (u32 slot = SLOT_R12; slot <= SLOT_R15; slot++)
		check_rule(slot, RULE_UNDEFINED, 0);
	assert_int_equal(s.row.saved, SAVED_SLOTS);
	assert_int_equal(s.row.flags, 0);
}

static void code_in_blocks_goes_by_the_place_in_its_block(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		u32 block = version == 1 ? 16 : 24;

		begin(version, SORTED);
		sec.block = block;
		function(IMAGE_CODE, block * 5, MASKED);
		ROW(0, SP(8));
		ROW(11, SP(16));
		done();
		for (u32 off = 0; off < block * 5; off++) {
			assert_int_equal(find(IMAGE_CODE + off), 0);
			check_cfa(RSP, off % block < 11 ? 8 : 16);
			assert_int_equal(s.row.flags, ROW_GUESS); /* linkers have been wrong about stubs */
		}
		assert_int_equal(find(IMAGE_CODE + block * 5), NO_FDE);
	}
}

static void the_outermost_frame_is_marked_or_is_the_entry_point(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		begin(version, SORTED);
		function(IMAGE_CODE, 16, 0);
		words(0, 1, 0, NULL);
		function(IMAGE_CODE + 16, 16, 0);
		ROW(0, SP(8));
		done();
		assert_int_equal(find(IMAGE_CODE + 3), version == 1 ? BAD_SFRAME : 0);
		if (version > 1)
			check_rule(SLOT_RA, RULE_UNDEFINED, -8);
		assert_int_equal(find(IMAGE_CODE + 19), 0);
		check_rule(SLOT_RA, RULE_OFFSET, -8);
		range.entry = IMAGE_CODE + 16;
		assert_int_equal(find(IMAGE_CODE + 19), 0);
		check_rule(SLOT_RA, version < 3 ? RULE_UNDEFINED : RULE_OFFSET, -8);
	}
}

static void version_3_tells_signal_frames(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		begin(version, SORTED);
		function(IMAGE_CODE, 16, SIGNAL);
		ROW(0, SP(8));
		done();
		assert_int_equal(find(IMAGE_CODE), 0);
		assert_int_equal(s.row.flags, version == 3 ? ROW_SIGNAL : 0);
	}
}

static void version_3_reaches_code_that_is_far_away(void **state)
{
	for (u32 pcrel = 0; pcrel < 2; pcrel++) {
		begin(3, SORTED | (pcrel ? PCREL : 0));
		function(IMAGE_CODE, 16, 0);
		ROW(0, SP(8));
		function(SECTION + (1ULL << 40), 16, 0);
		ROW(0, SP(24));
		done();
		assert_int_equal(find(IMAGE_CODE + 15), 0);
		check_cfa(RSP, 8);
		assert_int_equal(find(SECTION + (1ULL << 40)), 0);
		check_cfa(RSP, 24);
		assert_int_equal(find(SECTION), NO_FDE);
	}
}

static void rows_of_a_function_may_be_missing(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		begin(version, SORTED);
		function(IMAGE_CODE, 16, 0);
		function(IMAGE_CODE + 16, 16, 0);
		ROW(4, SP(8));
		done();
		assert_int_equal(find(IMAGE_CODE + 3), NO_FDE);
		assert_int_equal(find(IMAGE_CODE + 19), NO_FDE);
		assert_int_equal(find(IMAGE_CODE + 20), 0);
	}
}

/* A flexible function of one row. */
#define FLEX(...)                                   \
	do {                                        \
		begin(3, SORTED | PCREL);           \
		function(IMAGE_CODE, 16, FLEXIBLE); \
		ROW(0, 0, __VA_ARGS__);             \
		done();                             \
	} while (0)

static s32 reg_and_off(u32 reg, s32 off)
{
	return off * 32 + (s32)reg;
}

static void flexible_rules_are_understood(void **state)
{
	FLEX(FROM(R10), 0);
	assert_int_equal(find(IMAGE_CODE), 0);
	check_cfa(R10, 0);
	check_rule(SLOT_RA, RULE_OFFSET, -8);
	check_rule(SLOT_RBP, RULE_SAME, 0);
	assert_int_equal(s.row.flags, 0);

	FLEX(AT(RBP), -8, 0, AT(RBP), 0); /* realigned: CFA = *(rbp - 8), rbp = *(rbp) */
	assert_int_equal(find(IMAGE_CODE), 0);
	assert_int_equal(s.row.cfa_kind, CFA_EXPR);
	assert_int_equal(s.row.cfa_reg, RBP);
	assert_int_equal(s.row.cfa_off, -8);
	check_rule(SLOT_RA, RULE_OFFSET, -8);
	check_rule(SLOT_RBP, RULE_EXPR, reg_and_off(RBP, 0));
	assert_int_equal(s.row.flags, ROW_FLEXIBLE);

	FLEX(FROM(RSP), 0, FROM(RDI), 0); /* popped into rdi */
	assert_int_equal(find(IMAGE_CODE), 0);
	check_cfa(RSP, 0);
	check_rule(SLOT_RA, RULE_VAL_EXPR, reg_and_off(RDI, 0));
	assert_int_equal(s.row.flags, ROW_FLEXIBLE);

	FLEX(FROM(RBX), 24, AT_CFA, -16, AT_CFA, -24);
	assert_int_equal(find(IMAGE_CODE), 0);
	check_cfa(RBX, 24);
	check_rule(SLOT_RA, RULE_OFFSET, -16);
	check_rule(SLOT_RBP, RULE_OFFSET, -24);
	assert_int_equal(s.row.flags, 0);

	FLEX(FROM(RSP), 8, 0);
	assert_int_equal(find(IMAGE_CODE), 0);
	check_rule(SLOT_RBP, RULE_SAME, 0);
}

static void flexible_rules_are_followed(void **state)
{
	static u64 stack[64];
	struct machine *m = &walker.machine;

	for (u32 i = 0; i < COUNT(stack); i++)
		stack[i] = 0x1000 + i;
	FLEX(AT(RBP), -8, AT(RSP), -16, FROM(R15), 0x40);
	port_map(0x900000, stack, sizeof(stack), (struct vma){0});
	assert_int_equal(find(IMAGE_CODE), 0);
	memset(m, 0, sizeof(*m));
	m->row = s.row;
	m->reg[RBP] = 0x900080;
	m->sp = m->reg[RSP] = 0x900010;
	lies_at(m, R15, 0x900018);
	assert_int_equal(sframe_rules(m), 0);
	assert_int_equal(m->cfa, 0x1000 + (0x80 - 8) / 8);
	assert_int_equal(m->value[SLOT_RA], 0x900000);
	assert_int_equal(m->value[SLOT_RBP], 0x1000 + 3 + 0x40);

	m->invalid = 1 << R15;
	assert_int_equal(sframe_rules(m), CFA_REGISTER_LOST);
	assert_int_equal(m->detail, R15);
	m->invalid = 0;
	m->reg[RBP] = 0x10;
	assert_int_equal(sframe_rules(m), CFA_REGISTER_LOST);
}

static void rules_that_make_no_sense_are_refused(void **state)
{
	static const s32 bad[][7] = {
		{1, FROM(RSP)},
		{2, AT_CFA, 8}, /* the CFA by itself */
		{2, FROM(R15 + 1), 8},
		{2, FROM(RSP), 0}, /* the return address below the stack pointer */
		{3, FROM(RSP), 8, AT_CFA},
		{4, FROM(RSP), 8, 0, AT_CFA},
		{5, FROM(RSP), 8, AT_CFA, -8, AT_CFA},
		{6, FROM(RSP), 8, 0, AT_CFA, -16, 5},
		{4, FROM(RSP), 8, FROM(R15 + 1), 0},
		{4, FROM(RSP), 8, FROM(RDI), 1 << 26},
		{4, FROM(RSP), 8, FROM(RDI), -(1 << 26) - 1},
	};

	for (u32 i = 0; i < COUNT(bad); i++) {
		begin(3, SORTED);
		sec.word_code = 2;
		function(IMAGE_CODE, 16, FLEXIBLE);
		words(0, 0, bad[i][0], &bad[i][1]);
		done();
		assert_int_equal(find(IMAGE_CODE), BAD_SFRAME);
	}
	for (u32 version = 1; version <= 3; version++) {
		begin(version, SORTED);
		function(IMAGE_CODE, 16, 0);
		ROW(0, SP(7));
		function(IMAGE_CODE + 16, 16, 0);
		ROW(0, SP(16), -16, -24);
		function(IMAGE_CODE + 32, 16, 0);
		ROW(0, FP(16), 1, 2, 3, 4, 5, 6);
		done();
		for (u32 i = 0; i < 3; i++)
			assert_int_equal(find(IMAGE_CODE + 16 * i), BAD_SFRAME);
	}
}

/* One byte of the section has another value. */
static void damage(u32 at, u8 val, u32 outcome)
{
	u8 was = sec.all[at];

	sec.all[at] = val;
	map();
	assert_int_equal(find(IMAGE_CODE), outcome);
	sec.all[at] = was;
	map();
	assert_int_equal(find(IMAGE_CODE), 0);
}

static void damaged_sections_are_refused(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		u32 index = 28, rows, attributes;

		begin(version, SORTED);
		three_rows(1, false);
		rows = index + entry_bytes();
		attributes = version == 3 ? rows + 2 : index + 16;
		damage(0, 0, BAD_SFRAME);
		damage(1, 0, BAD_SFRAME);
		damage(2, 0, BAD_SFRAME);
		damage(2, 4, BAD_SFRAME);
		damage(4, 2, BAD_SFRAME);   /* another machine */
		damage(5, -16, BAD_SFRAME); /* a fixed frame pointer: where there is one */
		damage(6, 0, BAD_SFRAME);   /* no fixed return address */
		damage(8, 0, NO_FDE);
		damage(16, 0, BAD_SFRAME);	   /* no room for rows */
		damage(attributes, 3, BAD_SFRAME); /* rows that begin by eight bytes */
		if (version == 3) {
			damage(attributes + 1, 2, BAD_SFRAME); /* a type of function that is to come */
			damage(attributes + 2, 0, 0);
		}
		if (version > 1)
			damage(attributes, MASKED, BAD_SFRAME); /* in blocks of no bytes */
		rows += version == 3 ? 5 : 0;
		damage(rows + 1, 0x63, BAD_SFRAME); /* words of eight bytes */
		damage(rows + 1, 7 << 1, BAD_SFRAME);
		if (version < 3)
			damage(index + 14, 2, BAD_SFRAME); /* 131,075 rows */
	}
}

static void counts_beyond_what_is_there_end_somewhere(void **state)
{
	for (u32 version = 1; version <= 3; version++)
		for (u32 flags = 0; flags < 2; flags++) {
			u32 outcome;

			begin(version, flags);
			three_rows(3, false);
			fix32(&(struct writer){.bytes = sec.all}, 8, ~0u);
			map();
			outcome = find(IMAGE_CODE + 0x800);
			assert_true(outcome == TABLE_UNREADABLE || outcome == BAD_SFRAME || outcome == NO_FDE);
		}
	begin(2, 0);
	three_rows(1, false);
	for (u32 at = 21; at < 28; at++) /* index and rows far beyond the section */
		if (at != 24)
			damage(at, 0x7f, TABLE_UNREADABLE);
}

static void whichever_read_fails_the_answer_is_right_or_says_why(void **state)
{
	for (u32 version = 1; version <= 3; version++)
		for (int err = -EFAULT; err <= -EACCES; err++) {
			u32 refused = 0;

			for (u32 nth = 1; nth < 20; nth++) {
				u32 outcome;

				begin(version, SORTED);
				three_rows(17, false);
				port_fail_read(nth, err, false);
				outcome = find(IMAGE_CODE + 5 * 32 + 5);
				if (!outcome)
					check_cfa(RSP, 21);
				else
					assert_int_equal(outcome, err == -EACCES ? PAGE_NOT_SAFE : TABLE_UNREADABLE);
				refused += outcome != 0;
			}
			assert_true(refused > 0 && refused < 19);
		}
}

/* The section at the end of a page, and cut off there. */
static void a_section_may_end_with_its_mapping_but_not_behind_it(void **state)
{
	static u8 page[PAGE_BYTES];

	for (u32 version = 1; version <= 3; version++)
		for (u32 cut = 0; cut < 60; cut++) {
			u64 addr = 0x600000 + PAGE_BYTES;
			u32 outcome;

			begin(version, SORTED | PCREL);
			three_rows(2, false);
			assert_true(cut < sec.len);
			addr -= sec.len - cut;
			memcpy(page + PAGE_BYTES - (sec.len - cut), sec.all, sec.len - cut);
			port_reset();
			port_map(0x600000, page, sizeof(page), (struct vma){0});
			range.sframe = addr;
			outcome = find(IMAGE_CODE + 32 + 15 + addr - SECTION);
			assert_int_equal(outcome, cut ? TABLE_UNREADABLE : 0);
			if (!cut)
				check_cfa(RBP, 16);
		}
}

/* A program of functions 64 bytes long: .sframe for all, .eh_frame for those that image_fde() is called for. */
#define FUNCTION(n) (IMAGE_CODE + 64 * (n))

static void program(u32 version)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)im.bytes;
	Elf64_Phdr *ph;

	image_init(&im);
	ph = (Elf64_Phdr *)(eh + 1) + eh->e_phnum;
	eh->e_phnum++;
	*ph = (Elf64_Phdr){.p_type = 0x6474e554, .p_offset = SECTION - IMAGE_BASE, .p_vaddr = SECTION - IMAGE_BASE};
	begin(version, SORTED | PCREL);
}

static void start(u64 pc)
{
	port_reset();
	finish();
	image_map(&im);
	memcpy(im.bytes + SECTION - IMAGE_BASE, sec.all, sec.len);
	image_start(&im, &walker, pc);
}

/* The walk, without the row cache, cold and warm: always the same. */
static u32 walk(void)
{
	static struct machine before;
	static struct stack out;
	u32 outcome;

	before = walker.machine;
	walk_stack(&walker);
	outcome = walker.outcome;
	out = walker.out;
	for (u32 i = 0; i < 2; i++) {
		walker.machine = before;
		walker.no_cache = 0;
		walk_start(&walker);
		walk_stack(&walker);
		assert_int_equal(walker.outcome, outcome);
		assert_int_equal(walker.out.nr, out.nr);
		assert_memory_equal(walker.out.frame, out.frame, out.nr * sizeof(out.frame[0]));
	}
	return outcome;
}

static void check_frames(const u64 *pc, u32 nr)
{
	assert_int_equal(walker.out.nr, nr);
	for (u32 i = 0; i < nr; i++)
		assert_int_equal(frame_place(walker.out.frame[i]), image_frame(&walker, pc[i], i > 0));
}

/* Function 0 keeps rbp at CFA - 16, 1 has its CFA by it, 2 is the outermost. */
static void a_module_without_eh_frame_is_walked_by_sframe(void **state)
{
	for (u32 version = 1; version <= 3; version++) {
		program(version);
		((Elf64_Phdr *)(im.bytes + sizeof(Elf64_Ehdr)))[4].p_type = PT_NULL;
		((Elf64_Ehdr *)im.bytes)->e_entry = FUNCTION(2) - IMAGE_BASE;
		function(FUNCTION(0), 64, 0);
		ROW(0, SP(8));
		ROW(1, SP(16), -16);
		function(FUNCTION(1), 64, 0);
		ROW(0, FP(16), -16);
		function(FUNCTION(2), 64, 0);
		if (version == 3)
			words(0, 1, 0, NULL);
		else
			ROW(0, SP(8));
		put64(&im.up, STACK_END - IMAGE_STACK_BYTES + 5 * 8); /* rbp of function 1 */
		put64(&im.up, FUNCTION(1) + 8);
		for (u32 i = 0; i < 4; i++)
			put64(&im.up, 0);
		put64(&im.up, FUNCTION(2) + 9);
		start(FUNCTION(0) + 5);
		memset(im.bytes + 0x3000, 0, 0x1000); /* it would be found by its content */
		assert_int_equal(walk(), UNDEFINED_RA);
		check_frames((const u64[]){FUNCTION(0) + 5, FUNCTION(1) + 8, FUNCTION(2) + 9}, 3);
		for (u32 i = 0; i < 2; i++)
			assert_int_equal(frame_method(walker.out.frame[i]), BY_SFRAME);
	}
}

/*
 * Function 1 has its CFA by rbx, which function 0 did not touch. Only .eh_frame knows that.
 */
static void two_functions(bool eh_frame_knows_both)
{
	program(2);
	if (eh_frame_knows_both)
		image_fde(&im, FUNCTION(0), 64, INSNS(0));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, RBX, 16));
	image_fde(&im, FUNCTION(2), 64, INSNS(0x07, RIP));
	function(FUNCTION(0), 64, 0);
	ROW(0, SP(8));
	put64(&im.up, FUNCTION(1) + 8);
	put64(&im.up, FUNCTION(2) + 8);
	start(FUNCTION(0) + 5);
	walker.machine.reg[RBX] = walker.machine.reg[RSP];
}

static void eh_frame_is_preferred_for_it_knows_all_registers(void **state)
{
	two_functions(true);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames((const u64[]){FUNCTION(0) + 5, FUNCTION(1) + 8, FUNCTION(2) + 8}, 3);
}

static void a_caller_that_needs_what_sframe_does_not_know_ends_the_walk(void **state)
{
	two_functions(false);
	assert_int_equal(walk(), CFA_REGISTER_LOST);
	check_frames((const u64[]){FUNCTION(0) + 5, FUNCTION(1) + 8}, 2);
}

static void a_damaged_section_ends_the_walk_and_says_so(void **state)
{
	two_functions(false);
	im.bytes[SECTION - IMAGE_BASE + 2] = 9;
	assert_int_equal(walk(), BAD_SFRAME);
	check_frames((const u64[]){FUNCTION(0) + 5}, 1);
}

/*
 * The rows are a page behind the index, where a process has memory of its own instead of the file's: its row has the return
 * address elsewhere. What others walk by afterwards is the file's row.
 */
static void sframe__a_row_beyond_the_mapping_is_not_shared(void **state)
{
	static u8 pages[2][PAGE_BYTES];
	const u64 behind = IMAGE_BASE + 0x6000;
	struct vma of_file = {.dev = 1, .ino = IMAGE_INO, .offset = behind - IMAGE_BASE};
	u32 to_rows = behind - SECTION - 28;

	program(2);
	((Elf64_Phdr *)(im.bytes + sizeof(Elf64_Ehdr)))[4].p_type = PT_NULL;
	((Elf64_Ehdr *)im.bytes)->e_entry = FUNCTION(2) - IMAGE_BASE;
	function(FUNCTION(0), 64, 0);
	ROW(0, SP(16));
	function(FUNCTION(1), 64, 0);
	ROW(0, SP(8));
	function(FUNCTION(2), 64, 0);
	ROW(0, SP(8));
	put64(&im.up, 0);
	put64(&im.up, FUNCTION(2) + 9);
	put64(&im.up, FUNCTION(1) + 9);
	put64(&im.up, FUNCTION(2) + 9);
	start(FUNCTION(0) + 5);
	memset(im.bytes + 0x3000, 0, 0x1000);
	memcpy(im.bytes + SECTION - IMAGE_BASE + 24, &to_rows, sizeof(to_rows));
	for (u32 other = 0; other < 2; other++)
		memcpy(pages[other], sec.row_bytes, sec.rows.len);
	pages[0][2] = 24;
	for (u32 other = 0; other < 2; other++) {
		port_map(behind, pages[other], PAGE_BYTES, other ? of_file : (struct vma){0});
		image_start(&im, &walker, FUNCTION(0) + 5);
		walker.no_cache = 0;
		walk_stack(&walker);
		assert_int_equal(walker.outcome, UNDEFINED_RA);
		assert_int_equal(walker.out.nr, other ? 2 : 3);
		port_unmap(behind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pc_has_its_row_in_every_version_and_encoding),
		cmocka_unit_test(an_index_that_is_not_sorted_is_searched_from_end_to_end),
		cmocka_unit_test(what_sframe_does_not_say_is_lost),
		cmocka_unit_test(code_in_blocks_goes_by_the_place_in_its_block),
		cmocka_unit_test(the_outermost_frame_is_marked_or_is_the_entry_point),
		cmocka_unit_test(version_3_tells_signal_frames),
		cmocka_unit_test(version_3_reaches_code_that_is_far_away),
		cmocka_unit_test(rows_of_a_function_may_be_missing),
		cmocka_unit_test(flexible_rules_are_understood),
		cmocka_unit_test(flexible_rules_are_followed),
		cmocka_unit_test(rules_that_make_no_sense_are_refused),
		cmocka_unit_test(damaged_sections_are_refused),
		cmocka_unit_test(counts_beyond_what_is_there_end_somewhere),
		cmocka_unit_test(whichever_read_fails_the_answer_is_right_or_says_why),
		cmocka_unit_test(a_section_may_end_with_its_mapping_but_not_behind_it),
		cmocka_unit_test(a_module_without_eh_frame_is_walked_by_sframe),
		cmocka_unit_test(eh_frame_is_preferred_for_it_knows_all_registers),
		cmocka_unit_test(a_caller_that_needs_what_sframe_does_not_know_ends_the_walk),
		cmocka_unit_test(a_damaged_section_ends_the_walk_and_says_so),
		cmocka_unit_test(sframe__a_row_beyond_the_mapping_is_not_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
