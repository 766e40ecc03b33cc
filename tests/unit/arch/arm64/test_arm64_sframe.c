/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is .sframe of arm64 read as it is written: the return address where a row says, or in x30? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "port/image.h"
#include "port/port_buffer.h"

#define SECTION 0x500000ULL
#define CODE 0x400000ULL

static u8 bytes[PAGE_BYTES];
static struct sframe s;

/* SFrame version 2: a header; one function; three rows of offsets with one byte. */
static void write_section(u8 abi, s8 fixed_ra)
{
	struct writer w = {.bytes = bytes, .addr = SECTION, .room = sizeof(bytes)};
	static const u8 rows[] = {
		0,  1 | 1 << 1, 0,	      /* CFA = sp */
		8,  1 | 3 << 1, 32, -24, -32, /* CFA = sp + 32, RA at c - 24, FP at c - 32 */
		12, 0 | 3 << 1, 32, -24, -32, /* CFA = fp + 32 */
	};

	memset(bytes, 0, sizeof(bytes));
	put16(&w, 0xdee2);
	put8(&w, 2);
	put8(&w, SFRAME_SORTED);
	put8(&w, abi);
	put8(&w, 0);
	put8(&w, fixed_ra);
	put8(&w, 0);
	put32(&w, 1);
	put32(&w, 3);
	put32(&w, sizeof(rows));
	put32(&w, 0);
	put32(&w, 20);
	put32(&w, (u32)(CODE - SECTION));
	put32(&w, 64);
	put32(&w, 0);
	put32(&w, 3);
	put8(&w, 0);
	put8(&w, 0);
	put16(&w, 0);
	put(&w, rows, sizeof(rows));
	port_reset();
	port_map(SECTION, bytes, sizeof(bytes), (struct vma){0});
}

static u32 find(u64 pc)
{
	const struct range r = {.sframe = SECTION, .kind = MODULE_SFRAME};

	memset(&s, 0, sizeof(s));
	s.pc = pc;
	return sframe_find(&s, &r);
}

static void a_row_says_where_the_return_address_is(void **state)
{
	write_section(2, 0);
	assert_int_equal(find(CODE + 4), 0);
	assert_int_equal(s.row.cfa_reg, SP);
	assert_int_equal(s.row.cfa_off, 0);
	assert_int_equal(s.row.rule[SLOT_RA], RULE_SAME);
	assert_int_equal(s.row.rule[SLOT_FP], RULE_SAME);
	assert_int_equal(s.row.rule[SLOT_X19], RULE_UNDEFINED);

	assert_int_equal(find(CODE + 8), 0);
	assert_int_equal(s.row.cfa_off, 32);
	assert_int_equal(s.row.rule[SLOT_RA], RULE_OFFSET);
	assert_int_equal(s.row.off[SLOT_RA], -24);
	assert_int_equal(s.row.rule[SLOT_FP], RULE_OFFSET);
	assert_int_equal(s.row.off[SLOT_FP], -32);

	assert_int_equal(find(CODE + 40), 0);
	assert_int_equal(s.row.cfa_reg, X29);
	assert_int_equal(find(CODE + 64), NO_FDE);
}

static void sections_of_other_machines_are_refused(void **state)
{
	write_section(3, 0);
	assert_int_equal(find(CODE), BAD_SFRAME);
	write_section(2, -8);
	assert_int_equal(find(CODE), BAD_SFRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_says_where_the_return_address_is),
		cmocka_unit_test(sections_of_other_machines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
