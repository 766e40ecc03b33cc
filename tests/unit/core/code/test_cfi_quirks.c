/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is the innermost frame left where CFI is wrong, and only there? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/code/cfi_quirks.h"
#include "port/port_buffer.h"

#define CODE 0x401000ULL
#define FUNCTION (CODE + 0x400)
#define CALLER (CODE + 0x200) /* behind a call */
#define STACK 0x7fff0000ULL

static struct machine m;
static u8 code[0x1000];
static u32 stack[1024];

/* CFI says that @says bytes lie between rsp and the CFA. */
static void set_up(u32 compat, u32 at, s32 says)
{
	port_reset();
	memset(code, 0x90, sizeof(code));
	memset(stack, 0, sizeof(stack));
	code[0x200 - 5] = 0xe8;
	port_map(CODE, code, sizeof(code), (struct vma){0});
	port_map(STACK, (u8 *)stack, sizeof(stack), (struct vma){0});
	memset(&m, 0, sizeof(m));
	m.compat = compat;
	m.beyond = compat ? ~0ULL << 32 : 0;
	m.pc_is_exact = 1;
	m.pc = FUNCTION + at;
	m.reg[RSP] = m.sp = STACK + 64;
	m.row.cfa_kind = CFA_REG;
	m.row.cfa_reg = RSP;
	m.row.cfa_off = says;
	m.row.rule[SLOT_RA] = RULE_OFFSET;
	m.row.off[SLOT_RA] = -(compat ? 4 : 8);
}

static void returns_to(s32 above, u32 to)
{
	stack[16 + above / 4] = to;
}

static void at_a_ret_the_return_address_is_at_the_top_of_the_stack(void **state)
{
	for (int old = 0; old < 2; old++)
		for (u32 compat = 0; compat <= 4; compat += 4) {
			set_up(compat, 0x20, 184);
			code[0x420] = old ? 0xf3 : 0xc3;
			code[0x421] = old ? 0xc3 : 0x90;
			assert_false(cfi_fixup(&m, FUNCTION, 0x200)); /* no call before it */
			assert_int_equal(m.row.cfa_off, 184);
			returns_to(0, CALLER);
			stack_forget(&m);
			assert_true(cfi_fixup(&m, FUNCTION, 0x200));
			assert_int_equal(m.row.cfa_off, compat ? 4 : 8);
			assert_int_equal(m.row.flags, ROW_GUESS);
		}
}

static void two_pushes_of_glibc_are_known(void **state)
{
	static const u8 begins[] = {
		0x53, 0x55, 0x48, 0x8d, 0x1a, 0x48, 0xf7, 0xdb, 0x48, 0x8b, 6, 0x4c, 0x8b, 0x17, 0x48, 0x8d,
	};
	static const struct {
		u32 at, pushed;
	} places[] = {{0, 0}, {1, 1}, {2, 2}, {0xe8, 2}, {0xe9, 1}, {0xea, 0}};

	for (size_t i = 0; i < COUNT(places); i++) {
		u32 pushed = places[i].pushed;

		set_up(0, places[i].at, 8);
		memcpy(code + 0x400, begins, sizeof(begins));
		assert_int_equal(!!cfi_fixup(&m, FUNCTION, 0x200), pushed > 0);
		assert_int_equal(m.row.cfa_off, 8 + 8 * pushed);
		assert_int_equal(m.row.rule[SLOT_RBX], pushed ? RULE_OFFSET : RULE_SAME);
		assert_int_equal(m.row.rule[SLOT_RBP], pushed == 2 ? RULE_OFFSET : RULE_SAME);
		assert_int_equal(m.row.off[SLOT_RBX], pushed ? -16 : 0);
		assert_int_equal(m.row.off[SLOT_RBP], pushed == 2 ? -24 : 0);
	}
	set_up(0, 2, 8);
	memcpy(code + 0x400, begins, sizeof(begins) - 1);
	assert_false(cfi_fixup(&m, FUNCTION, 0x200));
}

/* Too few bytes, too many, and those below rsp, where the stack is no more. */
static void code_of_32_bits_returns_behind_a_call(void **state)
{
	for (s32 says = -12; says <= 32; says += 4) {
		set_up(4, 0x20, says);
		returns_to(-4, CALLER);
		returns_to(8, CALLER);
		returns_to(16, CALLER);
		if (says == 12 || says == 20) {
			assert_false(cfi_fixup(&m, FUNCTION, 0x200)); /* as it says */
			continue;
		}
		m.row.rule[SLOT_RBP] = says == 0 ? RULE_OFFSET : RULE_SAME;
		assert_true(cfi_fixup(&m, FUNCTION, 0x200));
		assert_int_equal(m.row.cfa_off, 12);
		assert_int_equal(m.row.off[SLOT_RA], -4);
		assert_int_equal(m.row.rule[SLOT_RBX], RULE_UNDEFINED);
		assert_int_equal(m.row.rule[SLOT_RBP], says == 0 ? RULE_UNDEFINED : RULE_SAME);
	}
}

/* sub $8,%esp: what lies in these bytes was left there by another call, and may well be where that returned to. */
static void in_what_was_just_reserved_no_return_address_is_looked_for(void **state)
{
	static const u8 reserve[] = {0x83, 0xec, 8};

	for (int is = 0; is < 2; is++) {
		set_up(4, 0x20, 4);
		if (is)
			memcpy(code + 0x41d, reserve, sizeof(reserve));
		returns_to(4, CALLER);
		returns_to(16, CALLER);
		assert_true(cfi_fixup(&m, FUNCTION, 0x200));
		assert_int_equal(m.row.cfa_off, is ? 20 : 8);
	}
}

static void where_no_call_is_near_cfi_has_the_last_word(void **state)
{
	set_up(4, 0x20, 4);
	returns_to(40, CALLER);
	assert_false(cfi_fixup(&m, FUNCTION, 0x200));
	assert_int_equal(m.row.cfa_off, 4);
}

static void a_handler_returns_to_where_no_call_is(void **state)
{
	static const u8 ends[2][8] = {{0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80}, {0xb8, 173, 0, 0, 0, 0xcd, 0x80}};

	for (int i = 0; i < 2; i++) {
		set_up(4, 0, 4);
		memcpy(code + 0x300, ends[i], sizeof(ends[i]));
		returns_to(0, CODE + 0x300);
		returns_to(8, CALLER);
		assert_false(cfi_fixup(&m, FUNCTION, 0x200));
	}
}

static void a_call_of_a_pc_thunk_has_called_nothing_else(void **state)
{
	static const u8 thunk[] = {0x8b, 0x1c, 0x24, 0xc3}, call[] = {0xe8, 0xe0, 0xfe, 0xff, 0xff};

	for (int is = 0; is < 2; is++) {
		set_up(4, 0x20, 4);
		returns_to(8, CALLER);
		memcpy(code + 0x41b, call, sizeof(call));
		memcpy(code + 0x300, thunk, is ? sizeof(thunk) : 3);
		m.pc_is_exact = 0;
		assert_int_equal(!!cfi_fixup(&m, FUNCTION, 0x200), is);
		assert_int_equal(m.row.cfa_off, is ? 12 : 4);
	}
}

/* The return address at rsp is behind a call to CODE + @to. Is CODE + @pc of a large function called from there? */
static bool is_called_within(u32 to, u32 pc, u64 size)
{
	s32 rel = to - 0x200;

	set_up(0, 0, 80);
	memcpy(code + 0x200 - 4, &rel, 4);
	returns_to(0, CALLER);
	m.pc = CODE + pc;
	if (!cfi_fixup(&m, CODE, size))
		return false;
	assert_int_equal(m.row.cfa_off, 8);
	assert_int_equal(m.row.flags, ROW_GUESS);
	return true;
}

static void a_subroutine_that_cfi_does_not_know_is_recognized_by_its_call(void **state)
{
	assert_true(is_called_within(0x300, 0x300, 0x1000));
	assert_true(is_called_within(0x300, 0x3ff, 0x1000));
	assert_false(is_called_within(0x300, 0x400, 0x1000)); /* too far */
	assert_false(is_called_within(0x300, 0x2ff, 0x1000));
	assert_false(is_called_within(0, 0x40, 0x1000));     /* a function that calls itself */
	assert_false(is_called_within(0x300, 0x340, 0xfff)); /* one that has no subroutines */
}

static void what_was_not_interrupted_is_as_cfi_says(void **state)
{
	set_up(4, 0x20, 4);
	returns_to(8, CALLER);
	m.pc_is_exact = 0;
	assert_false(cfi_fixup(&m, FUNCTION, 0x200));
	m.pc_is_exact = 1;
	m.row.rule[SLOT_RA] = RULE_UNDEFINED;
	assert_false(cfi_fixup(&m, FUNCTION, 0x200));
	m.row.rule[SLOT_RA] = RULE_OFFSET;
	m.row.flags = ROW_SIGNAL;
	assert_false(cfi_fixup(&m, FUNCTION, 0x200));
	m.row.flags = 0;
	assert_true(cfi_fixup(&m, FUNCTION, 0x200));
}

/*
 * The end of libgcc's _Unwind_Resume(): a call of uw_install_context_1(), one of _Unwind_DebugHook(), and behind its own
 * registers those of the frame in which it lands.
 */
static const u8 lands[] = {
	0xe8, 0x24, 0x12, 0,	0, /* 0: call */
	0x48, 0x8b, 0x75, 0x68,	   /* 5: mov 104(%rbp),%rsi */
	0xe8, 0xfb, 0xff, 0,	0, /* 9: call */
	0x48, 0x89, 0x74, 5,	8, /* 14: mov %rsi,8(%rbp,%rax) */
	0x4c, 0x8b, 0x6d, 0xe8,	   /* 19: mov -24(%rbp),%r13 */
	0x48, 0x8b, 0x6d, 0,	   /* 23: mov 0(%rbp),%rbp */
	0x48, 0x89, 0xcc,	   /* 27: mov %rcx,%rsp */
	0x59, 0xff, 0xe1,	   /* 30: pop %rcx; jmp *%rcx */
};

/* A function with all callee-saved registers in its frame is interrupted @at bytes behind where that code begins. */
static void set_up_landing(u32 compat, u32 at)
{
	set_up(compat, at, 16);
	memcpy(code + 0x400, lands, sizeof(lands));
	m.row.cfa_reg = at < 27 ? RBP : at < 30 ? RCX : RSP;
	m.row.cfa_off = at < 27 ? 16 : at < 31 ? 8 - compat : 0;
	m.row.saved = SAVED_SLOTS & ~(compat ? 1 << SLOT_R14 | 1 << SLOT_R15 : 0);
}

static void a_function_that_lands_in_another_frame_has_no_caller(void **state)
{
	static const u32 places[] = {5, 9, 14, 19, 23, 27, 30, 31};

	for (size_t i = 0; i < COUNT(places); i++)
		for (u32 compat = 0; compat <= 4; compat += 4) {
			set_up_landing(compat, places[i]);
			m.pc_is_exact = places[i] != 5 && places[i] != 14;
			assert_int_equal(cfi_fixup(&m, FUNCTION - 0x80, 0x200), QUIRK_BY_STACK);
			assert_int_equal(m.row.rule[SLOT_RA], RULE_REPLACED);
		}
}

/* The return address in its frame, at the top of the stack, is behind a call of it: itself, by stubs, and by the GOT. */
static void its_caller_is_known_until_another_return_address_was_copied(void **state)
{
	static const u8 calls_by_got[] = {0xff, 0x15, 0x00, 0x07, 0, 0};
	static const u8 stubs[][12] = {
		{0xff, 0x25, 0xfa, 0x05, 0, 0},
		{0xf2, 0xff, 0x25, 0xf9, 0x05, 0, 0},
		{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xf6, 0x05, 0, 0},
		{0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf5, 0x05, 0, 0},
	};
	enum { DIRECT = COUNT(stubs), BY_GOT, ANOTHER, NR };
	const u64 start = FUNCTION - 0x80, got = CODE + 0x900;

	for (size_t kind = 0; kind < NR; kind++) {
		bool known = kind != ANOTHER, is_stub = kind < DIRECT || kind == ANOTHER;

		set_up_landing(0, 5);
		m.pc_is_exact = 0;
		m.reg[RBP] = m.sp;
		returns_to(8, CALLER);
		memcpy(code + 0x900, &start, sizeof(start));
		memcpy(code + 0x200 - 4, (const u32[]){(is_stub ? got - 0x600 : start) - CALLER}, 4);
		if (is_stub)
			memcpy(code + 0x300, stubs[kind % COUNT(stubs)], sizeof(stubs[0]));
		if (kind == BY_GOT)
			memcpy(code + 0x200 - 6, calls_by_got, sizeof(calls_by_got));
		assert_int_equal(cfi_fixup(&m, start + (known ? 0 : 4), 0x200), QUIRK_BY_STACK);
		assert_int_equal(m.row.rule[SLOT_RA], known ? RULE_OFFSET : RULE_REPLACED);
		assert_int_equal(m.row.off[SLOT_RA], -8);
		for (u32 slot = 0; slot < NR_SAVED; slot++)
			assert_int_equal(m.row.rule[slot], RULE_UNDEFINED);
	}
}

static void without_cet_it_ends_with_a_return(void **state)
{
	for (u32 at = 27; at <= 30; at += 3) {
		set_up_landing(0, at);
		memcpy(code + 0x400 + 30, (const u8[]){0xc3, 0x90, 0x90}, 3);
		assert_int_equal(cfi_fixup(&m, FUNCTION - 0x80, 0x200), QUIRK_BY_STACK);
		assert_int_equal(m.row.rule[SLOT_RA], RULE_REPLACED);
	}
}

static void until_two_calls_before_its_end_it_has_a_caller(void **state)
{
	set_up_landing(0, 0);
	assert_int_equal(cfi_fixup(&m, FUNCTION - 0x80, 0x200), NO_QUIRK);
	assert_int_equal(m.row.rule[SLOT_RA], RULE_OFFSET);
}

/* Other registers are not saved, or the frame is another. */
static void other_functions_with_such_bytes_have_a_caller(void **state)
{
	for (int kind = 0; kind < 4; kind++) {
		set_up_landing(0, 5);
		if (kind == 0)
			m.row.saved &= ~(1 << SLOT_R15);
		if (kind == 1)
			m.row.cfa_reg = RSP;
		if (kind == 2)
			code[0x400 + 30] = 0x5a;
		if (kind == 3)
			m.row.cfa_kind = CFA_EXPR;
		assert_int_equal(cfi_fixup(&m, FUNCTION - 0x80, 0x200), NO_QUIRK);
		assert_int_equal(m.row.rule[SLOT_RA], RULE_OFFSET);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_a_ret_the_return_address_is_at_the_top_of_the_stack),
		cmocka_unit_test(two_pushes_of_glibc_are_known),
		cmocka_unit_test(code_of_32_bits_returns_behind_a_call),
		cmocka_unit_test(in_what_was_just_reserved_no_return_address_is_looked_for),
		cmocka_unit_test(where_no_call_is_near_cfi_has_the_last_word),
		cmocka_unit_test(a_handler_returns_to_where_no_call_is),
		cmocka_unit_test(a_call_of_a_pc_thunk_has_called_nothing_else),
		cmocka_unit_test(a_subroutine_that_cfi_does_not_know_is_recognized_by_its_call),
		cmocka_unit_test(what_was_not_interrupted_is_as_cfi_says),
		cmocka_unit_test(a_function_that_lands_in_another_frame_has_no_caller),
		cmocka_unit_test(its_caller_is_known_until_another_return_address_was_copied),
		cmocka_unit_test(without_cet_it_ends_with_a_return),
		cmocka_unit_test(until_two_calls_before_its_end_it_has_a_caller),
		cmocka_unit_test(other_functions_with_such_bytes_have_a_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
