/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where there is no CFI: is the frame pointer believed only after a call, and are code_rules known by their code? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/code/code_rules.h"
#include "core/code/framepointer.h"
#include "port/port_buffer.h"

#define STACK 0x7fff0000ULL
#define CODE 0x400000ULL

static struct machine m;
static u64 stack[0x40000];
static u8 code[2 * PAGE_BYTES];

/* A frame whose saved rbp and return address, CODE + 0x100, lie at rbp = STACK + 128, after "call rel32". */
static void set_up(void)
{
	port_reset();
	memset(stack, 0, sizeof(stack));
	memset(code, 0x90, sizeof(code));
	port_map(STACK, stack, sizeof(stack), (struct vma){0});
	port_map(CODE, code, sizeof(code), (struct vma){0});
	memset(&m, 0, sizeof(m));
	m.pc = CODE + 0x40;
	m.pc_is_exact = 1;
	m.reg[RSP] = m.sp = STACK;
	m.reg[RBP] = STACK + 128;
	stack[16] = STACK + 256;
	stack[17] = CODE + 0x100;
	code[0x100 - 5] = 0xe8;
}

static void the_frame_pointer_leads_to_the_caller(void **state)
{
	u64 val;

	set_up();
	assert_int_equal(framepointer_step(&m, 0, 0), 0);
	assert_int_equal(m.pc, CODE + 0x100);
	assert_int_equal(m.sp, STACK + 144);
	assert_int_equal(m.reg[RSP], STACK + 144);
	assert_int_equal(m.reg[RBP], STACK + 256);
	assert_int_equal(m.pc_is_exact, 0);
	assert_int_equal(m.fp_steps, 1);
	assert_int_equal(machine_reg(&m, RBP, &val), 0);
	assert_int_equal(machine_reg(&m, RBX, &val), -EFAULT);
	assert_int_equal(machine_reg(&m, RAX, &val), -EFAULT);
}

static void each_form_of_call_is_known(void **state)
{
	static const struct {
		u8 bytes[7], len;
	} calls[] = {
		{{0xff, 0xd0}, 2},		     /* call *%rax */
		{{0xff, 0x10}, 2},		     /* call *(%rax) */
		{{0xff, 0x50, 8}, 3},		     /* call *8(%rax) */
		{{0x41, 0xff, 0xd4}, 3},	     /* call *%r12 */
		{{0xff, 0x54, 0x24, 8}, 4},	     /* call *8(%rsp) */
		{{0xff, 0x90, 0, 1, 0, 0}, 6},	     /* call *0x100(%rax) */
		{{0xff, 0x15, 0, 1, 0, 0}, 6},	     /* call *0x100(%rip) */
		{{0xff, 0x94, 0xc0, 0, 1, 0, 0}, 7}, /* call *0x100(%rax,%rax,8) */
	};

	for (size_t i = 0; i < COUNT(calls); i++) {
		set_up();
		code[0x100 - 5] = 0x90;
		memcpy(code + 0x100 - calls[i].len, calls[i].bytes, calls[i].len);
		assert_int_equal(framepointer_step(&m, 0, 0), 0);
	}
}

/* CPython's first trampoline: sub $8,%rsp, or push and mov; call *%rcx. */
static void a_mapping_may_begin_with_a_function_that_calls_at_once(void **state)
{
	set_up();
	stack[17] = CODE + 6;
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
	set_up();
	stack[17] = CODE + 6;
	code[4] = 0xff;
	code[5] = 0xd1;
	assert_int_equal(framepointer_step(&m, 0, 0), 0);
	assert_int_equal(m.pc, CODE + 6);
	set_up();
	stack[17] = CODE + 5;
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
	set_up();
	stack[17] = CODE + 5; /* it calls with its first instruction */
	code[0] = 0xe8;
	assert_int_equal(framepointer_step(&m, 0, 0), 0);
	assert_int_equal(m.pc, CODE + 5);
}

static void what_does_not_follow_a_call_is_no_return_address(void **state)
{
	set_up();
	code[0x100 - 5] = 0x90;
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
	code[0x100 - 2] = 0xff;
	code[0x100 - 1] = 0xe0; /* jmp *%rax */
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
	code[0x100 - 1] = 0x18; /* lcall *(%rax) */
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
}

static void a_frame_pointer_that_points_elsewhere_is_not_followed(void **state)
{
	static const u64 wrong[] = {STACK - 8, STACK + 132, STACK + (1 << 20) + 8, 0, ~0ULL - 7};

	for (size_t i = 0; i < COUNT(wrong); i++) {
		set_up();
		m.reg[RBP] = wrong[i];
		if (wrong[i] - STACK < sizeof(stack))
			memcpy((u8 *)stack + (wrong[i] - STACK), &stack[16], 16);
		assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
		assert_int_equal(m.pc, CODE + 0x40);
	}
	set_up();
	m.reg[RBP] = STACK + (1 << 20); /* the farthest that is */
	stack[(1 << 20) / 8 + 1] = CODE + 0x100;
	assert_int_equal(framepointer_step(&m, 0, 0), 0);
	set_up();
	m.invalid = 1 << RBP;
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
	set_up();
	stack[17] = 4095;
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
	stack[17] = 0x12345678;
	assert_int_equal(framepointer_step(&m, 0, 0), -EFAULT);
}

static void a_page_that_is_not_safe_is_not_taken_for_a_wrong_guess(void **state)
{
	set_up();
	port_not_safe(STACK, STACK + PAGE_BYTES);
	assert_int_equal(framepointer_step(&m, 0, 0), -EACCES);
	set_up();
	port_not_safe(CODE, CODE + PAGE_BYTES);
	assert_int_equal(framepointer_step(&m, 0, 0), -EACCES);
}

#define WITH_RBP 64 /* the caller's rbp lies beside the return address */

/* What lies between rsp and the return address at each instruction of lld's PLT; -1: it is no such place. */
static const struct stub {
	const char *name;
	u8 bytes[64];
	struct {
		u8 at;
		s8 pushed;
	} place[8];
} code_rules[] = {
	{"plt0",
	 {0xff, 0x35, 1, 2, 3, 4, 0xff, 0x25, 1, 2, 3, 4, 0x0f, 0x1f, 0x40, 0},
	 {{0, 8}, {6, 16}, {12, -1}, {3, -1}}},
	{"a stub", {0xff, 0x25, 1, 2, 3, 4, 0x68, 1, 0, 0, 0, 0xe9, 1, 2, 3, 4}, {{0, 0}, {6, 0}, {11, 8}, {2, -1}}},
	{"a stub of -z ibtplt",
	 {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 1, 0, 0, 0, 0xe9, 1, 2, 3, 4, 0x66, 0x90},
	 {{0, 0}, {4, 0}, {9, 8}, {14, -1}}},
	{"a stub of .plt.sec",
	 {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4, 0x66, 0x0f, 0x1f, 0x44, 0, 0},
	 {{0, 0}, {4, 0}, {10, -1}}},
	{"_init",
	 {0x48, 0x83, 0xec, 8, 0x48, 0x8b, 5,	 1,    2,    3, 4,   0x48,
	  0x85, 0xc0, 0x74, 2, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3},
	 {{0, 0}, {4, 8}, {11, 8}, {14, 8}, {16, 8}, {18, 8}, {22, 0}}},
	{"_init of a static program",
	 {0x48, 0x83, 0xec, 8, 0x48, 0xc7, 0xc0, 0, 0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 2},
	 {{0, 0}, {4, 8}, {14, 8}}},
	{"_fini", {0x48, 0x83, 0xec, 8, 0x48, 0x83, 0xc4, 8, 0xc3}, {{0, 0}, {4, 8}, {8, 0}}},
	{"deregister_tm_clones",
	 {0x48, 0x8d, 0x3d, 1,	  2,	3,    4,    0x48, 0x8d, 0x05, 1, 2, 3,	  4,
	  0x48, 0x39, 0xf8, 0x74, 0x15, 0x48, 0x8b, 5,	  1,	2,    3, 4, 0x48, 0x85,
	  0xc0, 0x74, 9,    0xff, 0xe0, 0x0f, 0x1f, 0x80, 0,	0,    0, 0, 0xc3},
	 {{0, 0}, {7, 0}, {14, 0}, {17, 0}, {31, 0}, {40, 0}}},
	{"register_tm_clones",
	 {0x48, 0x8d, 0x3d, 1, 2, 3, 4, 0x48, 0x8d, 0x35, 1, 2, 3, 4, 0x48, 0x29, 0xfe, 0x48, 0x89},
	 {{0, 0}, {7, 0}, {17, 0}, {56, 0}}},
	{"deregister_tm_clones, not PIC",
	 {0xb8, 1, 2, 3, 4, 0x48, 0x3d, 1, 2, 3, 4, 0x74, 0x13, 0xb8, 0, 0, 0, 0, 0x48},
	 {{0, 0}, {5, 0}, {18, 0}, {28, 0}}},
	{"register_tm_clones, not PIC",
	 {0xbe, 1, 2, 3, 4, 0x48, 0x81, 0xee, 1, 2, 3, 4, 0x48, 0x89, 0xf0, 0x48, 0xc1},
	 {{0, 0}, {5, 0}, {15, 0}, {46, 0}}},
	{"__do_global_dtors_aux",
	 {0xf3, 0x0f, 0x1e, 0xfa, 0x80, 0x3d, 1, 2,    3,    4,	   0,	 0x75, 0x2b,	    0x55, 0x48,
	  0x83, 0x3d, 1,    2,	  3,	4,    0, 0x48, 0x89, 0xe5, 0x74, 0x0c, [51] = 0x5d, 0xc3, [56] = 0xc3},
	 {{0, 0}, {4, 0}, {11, 0}, {13, 0}, {14, 8 | WITH_RBP}, {51, 8 | WITH_RBP}, {52, 0}, {56, 0}}},
	{"frame_dummy", {0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 1, 2, 3, 4}, {{0, 0}, {4, 0}}},
	{"frame_dummy, near", {0xf3, 0x0f, 0x1e, 0xfa, 0xeb, 0x8a}, {{0, 0}, {4, 0}}},
	{"the end of a function", {0x90, 0x5d, 0xc3}, {{0, -1}, {1, 8 | WITH_RBP}, {2, 0}}},
	{"the beginning of a function", {0x55, 0x48, 0x89, 0xe5, 0x53}, {{0, 0}, {1, 8 | WITH_RBP}, {4, -1}}},
	{"a longer beginning",
	 {0x55, 0x31, 0xc0, 0x48, 0x83, 0xe0, 0xf0, 0x48, 0x89, 0xe5, 0x53},
	 {{0, 0}, {1, 8 | WITH_RBP}, {3, 8 | WITH_RBP}, {7, 8 | WITH_RBP}, {10, -1}}},
	{"too long a beginning", {0x55, [33] = 0x48, 0x89, 0xe5}, {{0, -1}, {1, -1}, {4, -1}}},
	{"another function's beginning",
	 {0x31, 0xc0, 0xeb, 2, 0x90, 0x90, 0x55, 0x48, 0x89, 0xe5},
	 {{0, -1}, {2, -1}, {6, 0}}},
	{"Go",
	 {0x49, 0x3b, 0x66, 0x10, 0x76, 0x20, 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10},
	 {{0, 0}, {4, 0}, {6, 0}, {7, 8 | WITH_RBP}, {10, -1}}},
	{"Go, large",
	 {0x4c, 0x8d, 0x64, 0x24, 0x80, 0x4d, 0x3b, 0x66, 0x10, 0x76, 0x20},
	 {{0, 0}, {5, 0}, {9, 0}, {11, -1}}},
	{"Go, very large",
	 {0x4c, 0x8d, 0xa4, 0x24, 0x78, 0xfe, 0xff, 0xff, 0x4d, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0x20, 0, 0, 0},
	 {{0, 0}, {8, 0}, {12, 0}, {18, -1}}},
	{"Go, far", {0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0x20, 0, 0, 0}, {{0, 0}, {4, 0}, {10, -1}}},
	{"the end of a function, for old CPUs", {0x90, 0xf3, 0xc3}, {{0, -1}, {1, 0}}},
	{"no stub", {0xe9, 1, 2, 3, 4, 0x55, 0x53, 0x89, 0xe5}, {{0, -1}, {5, -1}}},
	{"not quite _init",
	 {0x48, 0x83, 0xec, 8, 0x48, 0x8b, 5, 1, 2, 3, 4, 0x48, 0x85, 0xc0, 0x75, 2},
	 {{0, -1}, {4, -1}, {11, -1}}},
};

static void stubs_are_known_at_each_of_their_instructions(void **state)
{
	for (size_t i = 0; i < COUNT(code_rules); i++)
		for (size_t j = 0; j < COUNT(code_rules[i].place); j++) {
			u32 at = code_rules[i].place[j].at;
			s8 pushed = code_rules[i].place[j].pushed;

			if (j && !at)
				break;
			print_message("  %s + %u\n", code_rules[i].name, at);
			set_up();
			memcpy(code + 0x200, code_rules[i].bytes, sizeof(code_rules[i].bytes));
			assert_int_equal(code_rule_row(&m, CODE + 0x200 + at, 0), pushed < 0 ? -ENOENT : 0);
			if (pushed < 0)
				continue;
			assert_int_equal(m.row.cfa_kind, CFA_REG);
			assert_int_equal(m.row.cfa_reg, RSP);
			assert_int_equal(m.row.cfa_off, (pushed & ~WITH_RBP) + 8);
			assert_int_equal(m.row.rule[SLOT_RA], RULE_OFFSET);
			assert_int_equal(m.row.off[SLOT_RA], -8);
			assert_int_equal(m.row.flags, ROW_GUESS);
			assert_int_equal(m.row.saved, pushed & WITH_RBP ? 1 << SLOT_RBP : 0);
			if (m.row.saved)
				assert_int_equal(m.row.off[SLOT_RBP], -16);
		}
}

/* A template interpreter's push $index; jmp is no linker's, and what it has pushed is not known. */
static void where_no_linker_was_only_returns_and_prologues_are_known(void **state)
{
	static const struct {
		const char *name;
		u8 at;
		s8 pushed;
	} places[] = {
		{"plt0", 0, -1},
		{"plt0", 6, -1},
		{"a stub", 0, -1},
		{"a stub", 6, -1},
		{"a stub", 11, -1},
		{"a stub of .plt.sec", 0, -1},
		{"_init", 4, -1},
		{"_init", 22, 0},
		{"register_tm_clones", 17, -1},
		{"Go", 4, -1},
		{"Go, far", 4, -1},
		{"the end of a function", 1, 8},
		{"the end of a function", 2, 0},
		{"the beginning of a function", 0, 0},
		{"the beginning of a function", 1, 8},
	};

	for (size_t i = 0; i < COUNT(places); i++) {
		const struct stub *s = code_rules;

		while (strcmp(s->name, places[i].name))
			s++;
		print_message("  %s + %u\n", s->name, places[i].at);
		set_up();
		memcpy(code + 0x200, s->bytes, sizeof(s->bytes));
		assert_int_equal(code_rule_row(&m, CODE + 0x200 + places[i].at, CODE_RULE_NO_ELF),
				 places[i].pushed < 0 ? -ENOENT : 0);
		if (places[i].pushed >= 0)
			assert_int_equal(m.row.cfa_off, places[i].pushed + 8);
	}
}

static void behind_a_system_call_there_is_a_guess(void **state)
{
	set_up();
	memcpy(code + 0x1fe, "\x0f\x05\x85\xc0", 4);
	assert_int_equal(code_rule_row(&m, CODE + 0x200, 0), 0);
	assert_int_equal(m.row.flags, ROW_FRAME_POINTER | ROW_GUESS);
	assert_int_equal(m.row.cfa_off, 8);
	assert_int_equal(m.row.off[SLOT_RA], -8);
}

static void code_that_cannot_be_read_is_no_stub(void **state)
{
	set_up();
	assert_int_equal(code_rule_row(&m, CODE, 0), -ENOENT);
	assert_int_equal(code_rule_row(&m, CODE + sizeof(code) - 1, 0), -ENOENT);
}

static void a_thread_starts_behind_a_system_call_that_returned_0(void **state)
{
	set_up();
	m.pc = CODE + 0x80;
	code[0x7e] = 0x0f;
	code[0x7f] = 0x05;
	assert_true(framepointer_thread_start(&m));
	m.reg[RAX] = 5; /* the parent */
	assert_false(framepointer_thread_start(&m));
	m.reg[RAX] = 0;
	m.invalid = 1 << RAX;
	assert_false(framepointer_thread_start(&m));
	m.invalid = 0;
	memcpy(code + 0x79, "\xb8\x23\0\0\0", 5); /* mov $35,%eax: nanosleep() */
	assert_false(framepointer_thread_start(&m));
	memcpy(code + 0x78, "\xc7\xc0\x23\0\0\0", 6);
	assert_false(framepointer_thread_start(&m));
	memcpy(code + 0x78, "\x90\xb8\xb3\1\0\0", 6); /* clone3() */
	assert_true(framepointer_thread_start(&m));
	memcpy(code + 0x78, "\x90\xb8\x38\0\0\0", 6); /* clone() */
	assert_true(framepointer_thread_start(&m));
	code[0x7f] = 0x34; /* sysenter */
	assert_false(framepointer_thread_start(&m));
	m.pc = 0x10;
	assert_false(framepointer_thread_start(&m));
}

static void a_context_starts_with_a_function_that_nobody_called(void **state)
{
	set_up();
	m.pc_is_exact = 0;
	m.pc = CODE + 0x200;
	assert_true(framepointer_thread_start(&m));
	code[0x200 - 5] = 0xe8;
	assert_false(framepointer_thread_start(&m));
	code[0x200 - 5] = 0x90;
	m.pc = CODE + 0x204; /* functions are aligned */
	assert_false(framepointer_thread_start(&m));
	m.pc = 0x100000;
	assert_false(framepointer_thread_start(&m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_frame_pointer_leads_to_the_caller),
		cmocka_unit_test(each_form_of_call_is_known),
		cmocka_unit_test(a_mapping_may_begin_with_a_function_that_calls_at_once),
		cmocka_unit_test(what_does_not_follow_a_call_is_no_return_address),
		cmocka_unit_test(a_frame_pointer_that_points_elsewhere_is_not_followed),
		cmocka_unit_test(a_page_that_is_not_safe_is_not_taken_for_a_wrong_guess),
		cmocka_unit_test(stubs_are_known_at_each_of_their_instructions),
		cmocka_unit_test(where_no_linker_was_only_returns_and_prologues_are_known),
		cmocka_unit_test(behind_a_system_call_there_is_a_guess),
		cmocka_unit_test(code_that_cannot_be_read_is_no_stub),
		cmocka_unit_test(a_thread_starts_behind_a_system_call_that_returned_0),
		cmocka_unit_test(a_context_starts_with_a_function_that_nobody_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
