/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does each call frame instruction make of the row what DWARF 5 §6.4.2 says? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/tables/cfi.h"
#include "core/tables/encoding.h"
#include "core/arch/regs.h"
#include "port/port_buffer.h"

#define PROGRAMS 0x10000000ULL /* the CIE's, then the FDE's; offsets of expressions count from here */
#define CODE 0x500000ULL
#define BYTES(...) {__VA_ARGS__}, sizeof((u8[]){__VA_ARGS__})

static struct cfi cfi;

/* Run the programs that cfi tells of, as if nothing of them had been read. */
static u32 run_anew(void)
{
	cfi.has_initial = 0;
	cfi.in.len = 0;
	return cfi_run(&cfi);
}

/* Run both programs up to @pc. Addresses are encoded as @encoding. */
static u32 run(const u8 *cie, u32 cie_len, const u8 *fde, u32 fde_len, u64 pc, u32 encoding)
{
	static u8 bytes[3 * CFI_MAX_OPS];

	assert_true(cie_len + fde_len <= sizeof(bytes));
	memcpy(bytes, cie, cie_len);
	memcpy(bytes + cie_len, fde, fde_len);
	port_reset();
	port_map(PROGRAMS, bytes, cie_len + fde_len, (struct vma){0});
	memset(&cfi, 0xaa, sizeof(cfi));
	cfi.spared = 0;
	cfi.pc = pc;
	cfi.start = CODE;
	cfi.initial_insns = PROGRAMS;
	cfi.initial_end = cfi.insns = PROGRAMS + cie_len;
	cfi.end = cfi.insns + fde_len;
	cfi.code_align = 1;
	cfi.data_align = -8;
	cfi.hdr = PROGRAMS;
	cfi.encoding = encoding;
	cfi.class = 0;
	return run_anew();
}

static const u8 usual[] = {0x0c, RSP, 8, 0x80 | RIP, 1}; /* CFA = rsp + 8, RA at CFA - 8 */

static u32 run_usual(const u8 *fde, u32 fde_len, u64 pc)
{
	return run(usual, sizeof(usual), fde, fde_len, pc, PE_SDATA4_PCREL);
}

/* What one program after the usual CIE does to one slot, and to the CFA. */
static const struct vector {
	const char *name;
	u8 insns[24];
	u32 len;
	u8 cfa_kind, cfa_reg;
	s32 cfa_off;
	u8 slot, rule;
	s32 off;
} vectors[] = {
	{"nop", BYTES(0x00), CFA_REG, RSP, 8, SLOT_RA, RULE_OFFSET, -8},
	{"offset", BYTES(0x80 | RBP, 2), CFA_REG, RSP, 8, SLOT_RBP, RULE_OFFSET, -16},
	{"offset, LEB128 of two bytes", BYTES(0x80 | RBP, 0x80, 1), CFA_REG, RSP, 8, SLOT_RBP, RULE_OFFSET, -1024},
	{"offset of a register not followed", BYTES(0x80 | RAX, 2), CFA_REG, RSP, 8, SLOT_RBX, RULE_SAME, 0},
	{"restore", BYTES(0x80 | RIP, 5, 0xc0 | RIP), CFA_REG, RSP, 8, SLOT_RA, RULE_OFFSET, -8},
	{"restore to nothing", BYTES(0x80 | RBX, 5, 0xc0 | RBX), CFA_REG, RSP, 8, SLOT_RBX, RULE_SAME, 0},
	{"offset_extended", BYTES(0x05, RBX, 3), CFA_REG, RSP, 8, SLOT_RBX, RULE_OFFSET, -24},
	{"restore_extended", BYTES(0x05, RIP, 3, 0x06, RIP), CFA_REG, RSP, 8, SLOT_RA, RULE_OFFSET, -8},
	{"undefined", BYTES(0x07, RIP), CFA_REG, RSP, 8, SLOT_RA, RULE_UNDEFINED, 0},
	{"same_value", BYTES(0x80 | RBX, 3, 0x08, RBX), CFA_REG, RSP, 8, SLOT_RBX, RULE_SAME, 0},
	{"register", BYTES(0x09, RIP, RDI), CFA_REG, RSP, 8, SLOT_RA, RULE_REGISTER, RDI},
	{"register that does not exist", BYTES(0x09, RIP, 0x85, 1), CFA_REG, RSP, 8, SLOT_RA, RULE_REGISTER,
	 NR_REGS - 1},
	{"def_cfa", BYTES(0x0c, RBP, 16), CFA_REG, RBP, 16, SLOT_RA, RULE_OFFSET, -8},
	{"def_cfa of a register that does not exist", BYTES(0x0c, 0x87, 2, 16), CFA_REG, NR_REGS - 1, 16, SLOT_RA,
	 RULE_OFFSET, -8},
	{"def_cfa_register", BYTES(0x0d, RBP), CFA_REG, RBP, 8, SLOT_RA, RULE_OFFSET, -8},
	{"def_cfa_offset", BYTES(0x0e, 0x90, 1), CFA_REG, RSP, 144, SLOT_RA, RULE_OFFSET, -8},
	{"def_cfa_expression", BYTES(0x0f, 2, 0x77, 8), CFA_EXPR, RSP, 6, SLOT_RA, RULE_OFFSET, -8},
	{"expression", BYTES(0x10, RBP, 2, 0x77, 8), CFA_REG, RSP, 8, SLOT_RBP, RULE_EXPR, 7},
	{"offset_extended_sf", BYTES(0x11, RBX, 0x7e), CFA_REG, RSP, 8, SLOT_RBX, RULE_OFFSET, 16},
	{"def_cfa_sf", BYTES(0x12, RBP, 0x7e), CFA_REG, RBP, 16, SLOT_RA, RULE_OFFSET, -8},
	{"def_cfa_offset_sf", BYTES(0x13, 0x7d), CFA_REG, RSP, 24, SLOT_RA, RULE_OFFSET, -8},
	{"val_offset", BYTES(0x14, R12, 2), CFA_REG, RSP, 8, SLOT_R12, RULE_VAL_OFFSET, -16},
	{"val_offset_sf", BYTES(0x15, R13, 0x7e), CFA_REG, RSP, 8, SLOT_R13, RULE_VAL_OFFSET, 16},
	{"val_expression", BYTES(0x16, R14, 2, 0x77, 8), CFA_REG, RSP, 8, SLOT_R14, RULE_VAL_EXPR, 7},
	{"what follows an expression", BYTES(0x16, R14, 2, 0x0e, 99, 0x0e, 40), CFA_REG, RSP, 40, SLOT_R14,
	 RULE_VAL_EXPR, 7},
	{"GNU_args_size", BYTES(0x2e, 0x80, 1, 0x0e, 32), CFA_REG, RSP, 32, SLOT_RA, RULE_OFFSET, -8},
	{"GNU_negative_offset_extended", BYTES(0x2f, R15, 2), CFA_REG, RSP, 8, SLOT_R15, RULE_OFFSET, 16},
	{"a register beyond those there are", BYTES(0x05, 0x23, 9), CFA_REG, RSP, 8, SLOT_RBX, RULE_SAME, 0},
	{"remember and restore", BYTES(0x0a, 0x0c, RBP, 16, 0x80 | RIP, 4, 0x0b), CFA_REG, RSP, 8, SLOT_RA, RULE_OFFSET,
	 -8},
};

static void each_instruction_changes_the_row_as_dwarf_says(void **state)
{
	for (size_t i = 0; i < COUNT(vectors); i++) {
		const struct vector *v = &vectors[i];

		print_message("  %s\n", v->name);
		assert_int_equal(run_usual(v->insns, v->len, CODE), 0);
		assert_int_equal(cfi.row.cfa_kind, v->cfa_kind);
		assert_int_equal(cfi.row.cfa_reg, v->cfa_reg);
		assert_int_equal(cfi.row.cfa_off, v->cfa_off);
		assert_int_equal(cfi.row.rule[v->slot], v->rule);
		assert_int_equal(cfi.row.off[v->slot], v->off);
		for (u32 slot = 0; slot < NR_SLOTS; slot++)
			if (slot != v->slot && slot != SLOT_RA)
				assert_int_equal(cfi.row.rule[slot], RULE_SAME);
		assert_int_equal(!!(cfi.row.flags & ROW_EXPRESSIONS), v->cfa_kind == CFA_EXPR || v->rule >= RULE_EXPR);
	}
}

static const struct advance {
	const char *name;
	u8 insns[16];
	u32 len;
	u32 distance;
	u32 encoding;
} advances[] = {
	{"advance_loc", BYTES(0x40 | 63, 0x0e, 99), 63, PE_SDATA4_PCREL},
	{"advance_loc1", BYTES(0x02, 0xff, 0x0e, 99), 0xff, PE_SDATA4_PCREL},
	{"advance_loc2", BYTES(0x03, 0x34, 0x12, 0x0e, 99), 0x1234, PE_SDATA4_PCREL},
	{"advance_loc4", BYTES(0x04, 0x78, 0x56, 0x34, 0x12, 0x0e, 99), 0x12345678, PE_SDATA4_PCREL},
	{"set_loc, udata4", BYTES(0x01, 0x00, 0x01, 0x50, 0x00, 0x0e, 99), 0x100, PE_UDATA4},
	{"set_loc, absptr", BYTES(0x01, 0x00, 0x01, 0x50, 0, 0, 0, 0, 0, 0x0e, 99), 0x100, PE_ABSPTR},
	{"set_loc, udata8", BYTES(0x01, 0x00, 0x01, 0x50, 0, 0, 0, 0, 0, 0x0e, 99), 0x100, PE_UDATA8},
	/* 0x500100 - (PROGRAMS + 6) */
	{"set_loc, pcrel sdata4", BYTES(0x01, 0xfa, 0x00, 0x50, 0xf0, 0x0e, 99), 0x100, PE_SDATA4_PCREL},
};

static void a_row_ends_one_byte_before_the_next_begins(void **state)
{
	for (size_t i = 0; i < COUNT(advances); i++) {
		const struct advance *a = &advances[i];

		print_message("  %s\n", a->name);
		assert_int_equal(run(usual, sizeof(usual), a->insns, a->len, CODE + a->distance - 1, a->encoding), 0);
		assert_int_equal(cfi.row.cfa_off, 8);
		assert_int_equal(run(usual, sizeof(usual), a->insns, a->len, CODE + a->distance, a->encoding), 0);
		assert_int_equal(cfi.row.cfa_off, 99);
	}
}

static void advances_count_in_units_of_code_alignment(void **state)
{
	static const u8 insns[] = {0x41, 0x0e, 99};
	u32 len = sizeof(insns);

	for (u64 pc = CODE; pc < CODE + 8; pc++) {
		run_usual(insns, len, pc);
		cfi.code_align = 4;
		cfi.start = CODE;
		assert_int_equal(run_anew(), 0);
		assert_int_equal(cfi.row.cfa_off, pc < CODE + 4 ? 8 : 99);
	}
}

static void set_loc_in_another_encoding_is_refused(void **state)
{
	static const u8 insns[] = {0x01, 0, 0, 0, 0, 0, 0, 0, 0};

	assert_int_equal(run(usual, sizeof(usual), insns, sizeof(insns), CODE, 0x3b), BAD_CFI);
	assert_int_equal(run(usual, sizeof(usual), insns, sizeof(insns), CODE, PE_UDATA2), BAD_CFI);
}

static void unknown_instructions_are_refused_by_their_number(void **state)
{
	u32 refused = 0;

	for (u32 op = 0; op < 64; op++) {
		u8 insns[] = {op, 0, 0, 0, 0, 0, 0, 0, 0};
		u32 err = run_usual(insns, sizeof(insns), CODE);

		if (op <= 0x16 || op == 0x2e || op == 0x2f)
			continue;
		assert_int_equal(err, BAD_CFI);
		assert_int_equal(cfi.detail, op);
		refused++;
	}
	assert_int_equal(refused, 64 - 0x17 - 2);
}

static void remembering_nests_to_its_limit_and_no_further(void **state)
{
	u8 insns[3 * (CFI_MAX_SAVED + 1)];
	u32 len = 0;

	for (u32 i = 0; i < CFI_MAX_SAVED; i++) {
		insns[len++] = 0x0a;
		insns[len++] = 0x0e;
		insns[len++] = 16 + i;
	}
	assert_int_equal(run_usual(insns, len, CODE), 0);
	assert_int_equal(cfi.row.cfa_off, 16 + CFI_MAX_SAVED - 1);
	for (u32 i = 1; i <= CFI_MAX_SAVED; i++) { /* replaces the last "def_cfa_offset" by that many restores */
		u8 more[sizeof(insns) + CFI_MAX_SAVED];

		memcpy(more, insns, len);
		memset(more + len, 0x0b, i);
		assert_int_equal(run_usual(more, len + i, CODE), 0);
		assert_int_equal(cfi.row.cfa_off, i == CFI_MAX_SAVED ? 8 : 16 + CFI_MAX_SAVED - 1 - i);
	}
	insns[len++] = 0x0a;
	assert_int_equal(run_usual(insns, len, CODE), BAD_CFI);
}

static void restoring_what_was_not_remembered_is_refused(void **state)
{
	static const u8 once[] = {0x0b}, twice[] = {0x0a, 0x0b, 0x0b};

	assert_int_equal(run_usual(once, sizeof(once), CODE), BAD_CFI);
	assert_int_equal(run_usual(twice, sizeof(twice), CODE), BAD_CFI);
}

static void a_register_is_restored_to_what_the_cie_says_in_full(void **state)
{
	/* The CIE remembers nothing, then gives rbx an expression; the FDE goes back, then to the CIE's rule. */
	static const u8 cie[] = {0x0c, RSP, 8, 0x0a, 0x10, RBX, 1, 0x30, 0x80 | RBP, 2};
	static const u8 fde[] = {0x0b, 0xc0 | RBX, 0xc0 | RBP};

	assert_int_equal(run(cie, sizeof(cie), fde, sizeof(fde), CODE, PE_SDATA4_PCREL), 0);
	assert_int_equal(cfi.row.rule[SLOT_RBX], RULE_EXPR);
	assert_true(cfi.row.flags & ROW_EXPRESSIONS);
	assert_true(cfi.row.saved >> SLOT_RBX & cfi.row.saved >> SLOT_RBP & 1);
}

static void what_the_cie_makes_is_good_for_its_other_fdes_unless_it_left_more_than_a_row(void **state)
{
	static const u8 fde[] = {0x0e, 24, 0xc0 | RIP};
	static const struct {
		u8 insns[8];
		u32 len, good;
	} cies[] = {
		{BYTES(0x0c, RSP, 8, 0x80 | RIP, 1), 1},
		{BYTES(0x0c, RSP, 8, 0x80 | RIP, 1, 0x0a), 0}, /* remember_state */
		{BYTES(0x0c, RSP, 8, 0x80 | RIP, 1, 0x41), 0}, /* advance_loc 1 */
	};
	struct row row;

	for (size_t i = 0; i < COUNT(cies); i++) {
		assert_int_equal(run(cies[i].insns, cies[i].len, fde, sizeof(fde), CODE + 1, PE_SDATA4_PCREL), 0);
		assert_int_equal(cfi.has_initial, cies[i].good);
		row = cfi.row;
		cfi.initial_insns = 0; /* where nothing is */
		cfi.in.len = 0;
		assert_int_equal(cfi_run(&cfi), cies[i].good ? 0 : TABLE_UNREADABLE);
		if (cies[i].good)
			assert_memory_equal(&cfi.row, &row, sizeof(row));
	}
}

static void a_program_ends_where_its_fde_ends(void **state)
{
	static const u8 insns[] = {0x0e, 24, 0x0e, 99};

	run_usual(insns, sizeof(insns), CODE);
	cfi.end -= 2;
	assert_int_equal(run_anew(), 0);
	assert_int_equal(cfi.row.cfa_off, 24);
}

static void as_many_instructions_as_allowed_are_run_and_not_one_more(void **state)
{
	static const u8 fillers[] = {0x00, 0x40}; /* nop, advance_loc 0 */
	static u8 insns[CFI_MAX_OPS];
	u32 allowed = CFI_MAX_OPS - 2; /* two are the CIE's */

	for (size_t i = 0; i < COUNT(fillers); i++) {
		memset(insns, fillers[i], sizeof(insns));
		assert_int_equal(run_usual(insns, allowed, CODE), 0);
		assert_int_equal(run_usual(insns, allowed + 1, CODE), TOO_MANY_OPS);
	}
}

/* Rows of one byte each, whose instructions lie everywhere in the windows that they are read by. */
static void a_long_program_has_the_right_row_at_each_pc(void **state)
{
	static u8 insns[CFI_MAX_OPS];
	u32 rows = 300, len;

	for (u32 before = 0; before < 6; before++) {
		len = before;
		memset(insns, 0, before);
		for (u32 i = 0; i < rows; i++) {
			u32 off = 8 + i; /* from 128 on in two bytes */

			insns[len++] = 0x0e;
			insns[len++] = off < 128 ? off : 0x80 | (off & 0x7f);
			if (off >= 128)
				insns[len++] = off >> 7;
			insns[len++] = 0x80 | (i % 2 ? RBX : RBP);
			insns[len++] = 2 + i % 100;
			insns[len++] = 0x41;
		}
		for (u32 i = 0; i < rows; i++) {
			assert_int_equal(run_usual(insns, len, CODE + i), 0);
			assert_int_equal(cfi.row.cfa_off, 8 + i);
			assert_int_equal(cfi.row.off[i % 2 ? SLOT_RBX : SLOT_RBP], -8 * (2 + (s32)i % 100));
		}
	}
}

static void a_program_may_end_with_its_mapping(void **state)
{
	u8 page[PAGE_BYTES] = {0};

	memcpy(page + sizeof(page) - 2, "\x0e\x63", 2);
	run_usual(page, 1, CODE);
	port_map(PROGRAMS + 0x10000, page, sizeof(page), (struct vma){0});
	cfi.insns = PROGRAMS + 0x10000 + sizeof(page) - 2;
	cfi.end = cfi.insns + 2;
	assert_int_equal(run_anew(), 0);
	assert_int_equal(cfi.row.cfa_off, 99);
}

static void an_instruction_across_the_end_of_its_mapping_is_not_believed(void **state)
{
	static u8 pages[2 * PAGE_BYTES];
	u64 addr = PROGRAMS + 0x10000;

	memcpy(pages + PAGE_BYTES - 2, "\x0e\xe3\x01", 3); /* def_cfa_offset 227 */
	for (int mapped = 2; mapped > 0; mapped--) {
		run_usual(pages, 1, CODE);
		port_map(addr, pages, mapped * PAGE_BYTES, (struct vma){0});
		cfi.insns = addr + PAGE_BYTES - 2;
		cfi.end = cfi.insns + 3;
		assert_int_equal(run_anew(), mapped == 2 ? 0 : TABLE_UNREADABLE);
		assert_true(mapped == 1 || cfi.row.cfa_off == 227);
	}
	port_reset();
	port_map(PROGRAMS, pages, 1, (struct vma){0});
	port_map(addr, pages, sizeof(pages), (struct vma){0});
	port_not_safe(addr + PAGE_BYTES, addr + 2 * PAGE_BYTES);
	cfi.initial_end = cfi.initial_insns;
	assert_int_equal(run_anew(), PAGE_NOT_SAFE);
}

static void a_program_that_cannot_be_read_says_why(void **state)
{
	static const u8 nop[1];

	run_usual(nop, 1, CODE);
	cfi.insns = 0x1000;
	assert_int_equal(run_anew(), TABLE_UNREADABLE);
	cfi.initial_insns = 0x1000;
	assert_int_equal(run_anew(), TABLE_UNREADABLE);
	cfi.initial_insns = PROGRAMS;
	port_not_safe(PROGRAMS, PROGRAMS + 1);
	assert_int_equal(run_anew(), PAGE_NOT_SAFE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_changes_the_row_as_dwarf_says),
		cmocka_unit_test(a_row_ends_one_byte_before_the_next_begins),
		cmocka_unit_test(advances_count_in_units_of_code_alignment),
		cmocka_unit_test(set_loc_in_another_encoding_is_refused),
		cmocka_unit_test(unknown_instructions_are_refused_by_their_number),
		cmocka_unit_test(remembering_nests_to_its_limit_and_no_further),
		cmocka_unit_test(restoring_what_was_not_remembered_is_refused),
		cmocka_unit_test(a_register_is_restored_to_what_the_cie_says_in_full),
		cmocka_unit_test(what_the_cie_makes_is_good_for_its_other_fdes_unless_it_left_more_than_a_row),
		cmocka_unit_test(a_program_ends_where_its_fde_ends),
		cmocka_unit_test(as_many_instructions_as_allowed_are_run_and_not_one_more),
		cmocka_unit_test(a_long_program_has_the_right_row_at_each_pc),
		cmocka_unit_test(a_program_may_end_with_its_mapping),
		cmocka_unit_test(an_instruction_across_the_end_of_its_mapping_is_not_believed),
		cmocka_unit_test(a_program_that_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
