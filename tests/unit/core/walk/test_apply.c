/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a row make the caller's registers out of the callee's, and refuse to where they cannot be right? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/walk/apply.h"
#include "port/port_buffer.h"

#define STACK 0x7fff0000ULL
#define RA 0x401234ULL

static struct machine m;
static u64 stack[512];

/* A frame of 64 bytes: CFA = rsp + 64, RA at CFA - 8. */
static void set_up(void)
{
	port_reset();
	for (u32 i = 0; i < COUNT(stack); i++)
		stack[i] = 0xf00 + i;
	port_map(STACK, stack, sizeof(stack), (struct vma){0});
	memset(&m, 0, sizeof(m));
	for (u32 i = 0; i < RIP; i++)
		m.reg[i] = 0x1000 * (i + 1);
	m.reg[RSP] = m.sp = STACK;
	m.cfa = STACK + 64;
	m.pc_is_exact = 1;
	stack[7] = RA;
	m.row.cfa_kind = CFA_REG;
	m.row.cfa_reg = RSP;
	m.row.rule[SLOT_RA] = RULE_OFFSET;
	m.row.off[SLOT_RA] = -8;
}

static void rule(u32 slot, u8 what, s32 off)
{
	m.row.rule[slot] = what;
	m.row.off[slot] = off;
	m.row.saved |= 1 << slot;
}

static u64 reg(u32 which)
{
	u64 val = 0;

	assert_int_equal(machine_reg(&m, which, &val), 0);
	return val;
}

static void the_caller_has_the_return_address_and_the_cfa(void **state)
{
	set_up();
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(m.pc, RA);
	assert_int_equal(m.sp, STACK + 64);
	assert_int_equal(m.reg[RSP], STACK + 64);
	assert_int_equal(m.pc_is_exact, 0);
}

static void each_rule_restores_a_register(void **state)
{
	set_up();
	rule(SLOT_RBX, RULE_OFFSET, -16);
	rule(SLOT_RBP, RULE_VAL_OFFSET, -16);
	rule(SLOT_R12, RULE_EXPR, 0);
	m.value[SLOT_R12] = STACK + 8;
	rule(SLOT_R13, RULE_VAL_EXPR, 0);
	m.value[SLOT_R13] = 0x4711;
	rule(SLOT_R14, RULE_UNDEFINED, 0);
	rule(SLOT_R15, RULE_SAME, 0);
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(reg(RBX), 0xf06);
	assert_int_equal(reg(RBP), STACK + 48);
	assert_int_equal(reg(R12), 0xf01);
	assert_int_equal(reg(R13), 0x4711);
	assert_true(m.invalid >> R14 & 1);
	assert_int_equal(reg(R15), 0x1000 * (R15 + 1));
}

static void a_register_that_was_lost_is_known_again_once_restored(void **state)
{
	set_up();
	m.invalid = 1 << RBX | 1 << RBP | 1 << R12;
	rule(SLOT_RBX, RULE_OFFSET, -16);
	rule(SLOT_RBP, RULE_VAL_OFFSET, 0);
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(reg(RBX), 0xf06);
	assert_int_equal(reg(RBP), STACK + 64);
	assert_true(m.invalid >> R12 & 1);
}

static void registers_that_callees_may_change_are_lost(void **state)
{
	u64 val;

	set_up();
	assert_int_equal(apply_row(&m), 0);
	for (u32 i = 0; i < RIP; i++) {
		bool kept = i == RBX || i == RBP || i == RSP || i >= R12;

		assert_int_equal(machine_reg(&m, i, &val), kept ? 0 : -EFAULT);
	}
}

static void the_return_address_is_found_by_any_rule(void **state)
{
	set_up();
	rule(SLOT_RA, RULE_EXPR, 0);
	m.value[SLOT_RA] = STACK + 16;
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(m.pc, 0xf02);

	set_up();
	rule(SLOT_RA, RULE_VAL_EXPR, 0);
	m.value[SLOT_RA] = 0x4711;
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(m.pc, 0x4711);

	set_up(); /* as in vfork() */
	rule(SLOT_RA, RULE_REGISTER, RDI);
	m.cfa = STACK;
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(m.pc, 0x1000 * (RDI + 1));
}

static void no_rule_that_cannot_be_followed_gives_a_return_address(void **state)
{
	static const u8 rules[] = {RULE_SAME, RULE_VAL_OFFSET};

	for (size_t i = 0; i < COUNT(rules); i++) {
		set_up();
		rule(SLOT_RA, rules[i], 0);
		assert_int_equal(apply_row(&m), BAD_RA_RULE);
	}
	set_up();
	rule(SLOT_RA, RULE_REGISTER, RDI);
	m.invalid = 1 << RDI;
	assert_int_equal(apply_row(&m), BAD_RA_RULE);
	set_up();
	rule(SLOT_RA, RULE_REPLACED, 0);
	assert_int_equal(apply_row(&m), LANDING);
}

static void a_return_address_in_a_register_that_lies_on_a_page_that_is_not_safe(void **state)
{
	set_up();
	rule(SLOT_RA, RULE_REGISTER, RDI);
	m.reg[RDI] = STACK + 8;
	m.lazy = 1 << RDI;
	port_not_safe(STACK, STACK + PAGE_BYTES);
	assert_int_equal(apply_row(&m), PAGE_NOT_SAFE);
}

static void the_outermost_frame_ends_the_walk(void **state)
{
	set_up();
	rule(SLOT_RA, RULE_UNDEFINED, 0);
	assert_int_equal(apply_row(&m), UNDEFINED_RA);
	set_up();
	stack[7] = 0;
	assert_int_equal(apply_row(&m), ZERO_RA);
}

static void a_stack_that_cannot_be_read_says_why(void **state)
{
	set_up();
	m.cfa = STACK + sizeof(stack) + 8;
	assert_int_equal(apply_row(&m), STACK_UNREADABLE);
	set_up();
	port_not_safe(STACK, STACK + 4096);
	assert_int_equal(apply_row(&m), PAGE_NOT_SAFE);
}

static void a_caller_begins_at_a_word(void **state)
{
	for (u32 off = 1; off < 8; off++) {
		set_up();
		m.cfa += off;
		assert_int_equal(apply_row(&m), MISALIGNED);
	}
}

static void a_caller_lies_above_its_callee(void **state)
{
	for (u32 exact = 0; exact < 2; exact++)
		for (int above = -8; above <= 8; above += 8) {
			set_up();
			m.pc_is_exact = exact;
			m.sp = STACK + 64 - above;
			assert_int_equal(apply_row(&m), above > 0 || (above == 0 && exact) ? 0 : NOT_MONOTONIC);
		}
}

/* struct rt_sigframe without its return address: flags, link, stack (40 bytes), then the general registers. */
static void a_signal_frame_restores_all_registers(void **state)
{
	static const u8 order[] = {R8, R9, R10, R11, R12, R13, R14, R15, RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP};

	set_up();
	for (u32 i = 0; i < COUNT(order); i++)
		stack[5 + i] = 0xabc000 + order[i];
	m.cfa = STACK - 0x100000; /* the handler ran on another stack, above */
	rule(SLOT_RA, RULE_EXPR, 0);
	stack[5 + 16] = RA;
	m.value[SLOT_RA] = STACK + 8 * (5 + 16);
	m.row.flags = ROW_SIGNAL;
	m.invalid = CALLER_SAVED | CALLEE_SAVED;
	assert_int_equal(apply_row(&m), 0);
	assert_int_equal(m.pc, RA);
	assert_int_equal(m.sp, STACK - 0x100000);
	assert_int_equal(m.pc_is_exact, 1);
	assert_int_equal(m.signal_frames, 1);
	for (u32 i = 0; i < COUNT(order) - 1; i++)
		assert_int_equal(reg(order[i]), 0xabc000 + order[i]);
	assert_int_equal(reg(RSP), STACK - 0x100000);
}

static void registers_that_nobody_follows_stay_lost(void **state)
{
	u64 val;

	set_up();
	m.invalid = NEVER_KNOWN;
	m.row.flags = ROW_SIGNAL;
	assert_int_equal(apply_row(&m), 0);
	for (u32 i = RIP; i < NR_REGS; i++)
		assert_int_equal(machine_reg(&m, i, &val), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_caller_has_the_return_address_and_the_cfa),
		cmocka_unit_test(each_rule_restores_a_register),
		cmocka_unit_test(a_register_that_was_lost_is_known_again_once_restored),
		cmocka_unit_test(registers_that_callees_may_change_are_lost),
		cmocka_unit_test(the_return_address_is_found_by_any_rule),
		cmocka_unit_test(no_rule_that_cannot_be_followed_gives_a_return_address),
		cmocka_unit_test(a_return_address_in_a_register_that_lies_on_a_page_that_is_not_safe),
		cmocka_unit_test(the_outermost_frame_ends_the_walk),
		cmocka_unit_test(a_stack_that_cannot_be_read_says_why),
		cmocka_unit_test(a_caller_begins_at_a_word),
		cmocka_unit_test(a_caller_lies_above_its_callee),
		cmocka_unit_test(a_signal_frame_restores_all_registers),
		cmocka_unit_test(registers_that_nobody_follows_stay_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
