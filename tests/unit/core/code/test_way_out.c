/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code without CFI, followed to a return: where does it say that the return address and the caller's registers are? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/code/way_out.h"
#include "port/port_buffer.h"

#define CODE 0x400000ULL
#define FUNCTION (CODE + 0x1000)

static struct machine m;
static u8 code[3 * PAGE_BYTES];

static void set_up(const u8 *bytes, size_t len)
{
	port_reset();
	memset(code, 0xcc, sizeof(code));
	memcpy(code + 0x1000, bytes, len);
	port_map(CODE, code, sizeof(code), (struct vma){0});
	memset(&m, 0, sizeof(m));
	m.pc = FUNCTION;
	m.pc_is_exact = 1;
}

#define CODE_IS(...) set_up((const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

/* The return address lies @words words above register @reg at @at. */
static void assert_return_address(u32 at, u32 reg, s32 words)
{
	m.pc = FUNCTION + at;
	assert_int_equal(way_out_row(&m, true), 0);
	assert_int_equal(m.row.cfa_kind, CFA_REG);
	assert_int_equal(m.row.cfa_reg, reg);
	assert_int_equal(m.row.cfa_off, 8 * words + 8);
	assert_int_equal(m.row.rule[SLOT_RA], RULE_OFFSET);
	assert_int_equal(m.row.off[SLOT_RA], -8);
	assert_int_equal(m.row.flags, ROW_GUESS | ROW_FRAME_POINTER);
}

static void assert_no_way(u32 at)
{
	m.pc = FUNCTION + at;
	assert_int_equal(way_out_row(&m, true), -ENOENT);
}

static void assert_saved(u32 slot, s32 words)
{
	assert_int_equal(m.row.rule[slot], words ? RULE_OFFSET : RULE_SAME);
	if (words)
		assert_int_equal(m.row.off[slot], -8 * words);
}

static void each_instruction_knows_what_is_still_to_be_popped(void **state)
{
	CODE_IS(0x53,					  /*  0 push %rbx */
		0x41, 0x54,				  /*  1 push %r12 */
		0x48, 0x83, 0xec, 0x18,			  /*  3 sub $24,%rsp */
		0x48, 0x8b, 0x04, 0x25, 1, 2, 3, 4,	  /*  7 mov 0x4030201,%rax */
		0x66, 0x41, 0xc7, 0x04, 0x24, 1, 2,	  /* 15 movw $0x201,(%r12) */
		0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 0xc3,	  /* 22 movabs $,%rax */
		0xc5, 0xfd, 0x6f, 0x84, 0x24, 8, 0, 0, 0, /* 32 vmovdqa 8(%rsp),%ymm0 */
		0xf7, 0xc1, 0xc3, 0xc3, 0xc3, 0xc3,	  /* 41 test $,%ecx */
		0x48, 0x83, 0xc4, 0x18,			  /* 47 add $24,%rsp */
		0x41, 0x5c,				  /* 51 pop %r12 */
		0x5b,					  /* 53 pop %rbx */
		0xc3);					  /* 54 ret */
	static const struct {
		u8 at, words;
	} places[] = {{0, 0},  {1, 1},	{3, 2},	 {7, 5},  {15, 5}, {22, 5},
		      {32, 5}, {41, 5}, {47, 5}, {51, 2}, {53, 1}, {54, 0}};

	for (size_t i = 0; i < COUNT(places); i++) {
		assert_return_address(places[i].at, RSP, places[i].words);
		assert_saved(SLOT_RBX, places[i].words >= 1 ? 2 : 0);
		assert_saved(SLOT_R12, places[i].words >= 2 ? 3 : 0);
		assert_saved(SLOT_R13, 0);
	}
}

static void a_frame_whose_size_is_not_known_is_left_by_its_frame_pointer(void **state)
{
	CODE_IS(0x55,			/*  0 push %rbp */
		0x48, 0x89, 0xe5,	/*  1 mov %rsp,%rbp */
		0x53,			/*  4 push %rbx */
		0x48, 0x83, 0xe4, 0xe0, /*  5 and $-32,%rsp */
		0x48, 0x29, 0xc4,	/*  9 sub %rax,%rsp */
		0x48, 0x8b, 0x5d, 0xf8, /* 12 mov -8(%rbp),%rbx */
		0xc9,			/* 16 leave */
		0xc3);			/* 17 ret */
	assert_return_address(0, RSP, 0);
	assert_return_address(1, RSP, 1);
	assert_return_address(4, RBP, 1);
	assert_int_equal(m.row.rule[SLOT_RBX], RULE_UNDEFINED); /* saved on the way, by another register */
	assert_return_address(9, RBP, 1);
	assert_saved(SLOT_RBP, 2);
	assert_saved(SLOT_RBX, 3);
	assert_return_address(17, RSP, 0);
}

/* Go up to 1.20. */
static void a_register_may_be_stored_and_loaded_instead_of_pushed(void **state)
{
	CODE_IS(0x48, 0x83, 0xec, 0x28,	      /*  0 sub $40,%rsp */
		0x48, 0x89, 0x6c, 0x24, 0x20, /*  4 mov %rbp,32(%rsp) */
		0x48, 0x8d, 0x6c, 0x24, 0x20, /*  9 lea 32(%rsp),%rbp */
		0x31, 0xc0,		      /* 14 xor %eax,%eax */
		0x48, 0x8b, 0x6c, 0x24, 0x20, /* 16 mov 32(%rsp),%rbp */
		0x48, 0x83, 0xc4, 0x28,	      /* 21 add $40,%rsp */
		0xc3);
	assert_return_address(4, RSP, 5);
	assert_saved(SLOT_RBP, 0);
	assert_return_address(14, RSP, 5);
	assert_saved(SLOT_RBP, 2);
	assert_return_address(21, RSP, 5);
	assert_saved(SLOT_RBP, 0);
}

static void loops_and_branches_end_somewhere(void **state)
{
	CODE_IS(0x53,				    /* 0 push %rbx */
		0xff, 0xc8,			    /* 1 dec %eax */
		0x75, 0xfc,			    /* 3 jne 1 */
		0xeb, 0x02,			    /* 5 jmp 9 */
		0xeb, 0xfe,			    /* 7 jmp 7 */
		0x0f, 0x84, 0xf8, 0xff, 0xff, 0xff, /* 9 je 7 */
		0x5b, 0xc3);			    /* 15 pop %rbx; ret */
	assert_return_address(0, RSP, 0);
	assert_return_address(1, RSP, 1);
	assert_return_address(9, RSP, 1);
	m.work = 0;
	assert_no_way(7);
	assert_true(m.work < 8); /* no instruction is followed twice */
}

static void a_tail_call_leads_on_to_the_other_functions_return(void **state)
{
	CODE_IS(0x53, 0x5b, 0xe9, 0x02, 0, 0, 0, 0xcc, 0xcc, /* push; pop; jmp 9 */
		0x53, 0x5b, 0xc3);			     /* push; pop; ret */
	assert_return_address(1, RSP, 1);
	assert_saved(SLOT_RBX, 2);
	assert_return_address(2, RSP, 0);
}

static void a_call_that_never_returns_leads_into_no_other_function(void **state)
{
	CODE_IS(0x48, 0x83, 0xec, 0x08, /*  0 sub $8,%rsp */
		0xe8, 0, 1, 0, 0,	/*  4 call abort */
		0x53,			/*  9 another function: push %rbx */
		0x48, 0x83, 0xec, 0x10, /* 10 sub $16,%rsp */
		0x48, 0x83, 0xc4, 0x10, 0x5b, 0xc3);
	assert_no_way(0);
	assert_no_way(4);
	m.pc_is_exact = 0;
	assert_no_way(9);
	m.pc_is_exact = 1;
	assert_return_address(9, RSP, 0);
}

static void ways_with_fewer_calls_come_first(void **state)
{
	CODE_IS(0x48, 0x83, 0xec, 0x18,		    /*  0 sub $24,%rsp */
		0x85, 0xc0,			    /*  4 test %eax,%eax */
		0x75, 0x0f,			    /*  6 jne 23 */
		0x6a, 0x00, 0x6a, 0x00,		    /*  8 push $0; push $0 */
		0xe8, 0, 1, 0, 0,		    /* 12 call abort */
		0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* 17 behind it, the stack is as at 6 */
		0x48, 0x83, 0xc4, 0x18, 0xc3);	    /* 23 add $24,%rsp; ret */
	assert_return_address(4, RSP, 3);
	m.pc = FUNCTION + 4;
	assert_int_equal(way_out_row(&m, false), 0);
	m.pc = FUNCTION + 8;
	assert_int_equal(way_out_row(&m, false), -ENOENT);
}

static void a_switch_goes_on_with_its_first_case(void **state)
{
	CODE_IS(0x53, 0xff, 0x24, 0xc5, 1, 2, 3, 4, 0x5b, 0xc3); /* jmp *(,%rax,8) */
	assert_return_address(1, RSP, 1);
	CODE_IS(0x53, 0x48, 0x01, 0xd0, 0xff, 0xe0, 0x5b, 0xc3); /* add %rdx,%rax; jmp *%rax */
	assert_return_address(1, RSP, 1);
	CODE_IS(0x53, 0x3e, 0xff, 0xe0, 0x5b, 0xc3); /* notrack jmp *%rax */
	assert_return_address(1, RSP, 1);
	CODE_IS(0x53, 0xff, 0xe0, 0x5b, 0xc3); /* jmp *%rax: anywhere */
	assert_no_way(1);
}

static void a_stack_pointer_that_may_be_anything_says_nothing(void **state)
{
	static const u8 changes[][4] = {
		{0x48, 0x89, 0xc4, 0x90}, /* mov %rax,%rsp */
		{0x48, 0x8b, 0x20, 0x90}, /* mov (%rax),%rsp */
		{0x48, 0x87, 0xc4, 0x90}, /* xchg %rax,%rsp */
		{0x48, 0x01, 0xc4, 0x90}, /* add %rax,%rsp */
		{0x48, 0x03, 0x20, 0x90}, /* add (%rax),%rsp */
		{0x48, 0x83, 0xe4, 0xf0}, /* and $-16,%rsp */
		{0x48, 0x8d, 0x20, 0x90}, /* lea (%rax),%rsp */
		{0x5c, 0x90, 0x90, 0x90}, /* pop %rsp */
		{0xc8, 0, 0, 0},	  /* enter */
		{0x0f, 0x0b, 0x90, 0x90}, /* ud2 */
		{0xf4, 0x90, 0x90, 0x90}, /* hlt */
	};

	for (size_t i = 0; i < COUNT(changes); i++) {
		const u8 *c = changes[i];

		CODE_IS(c[0], c[1], c[2], c[3], 0xc3);
		assert_no_way(0);
		assert_return_address(4, RSP, 0);
	}
}

static void code_that_cannot_be_read_has_no_way_out(void **state)
{
	CODE_IS(0x90);
	memset(code, 0x90, sizeof(code));
	m.pc = CODE + sizeof(code) - 3;
	assert_int_equal(way_out_row(&m, true), -ENOENT);
	assert_true(m.way_out.high > CODE + sizeof(code));
	m.pc = 0x10;
	assert_int_equal(way_out_row(&m, true), -ENOENT);
	assert_true(m.work < 8);
}

static void a_search_is_bounded(void **state)
{
	CODE_IS(0x90);
	memset(code, 0x90, sizeof(code));
	code[0x1000 + 2000] = 0xc3;
	assert_no_way(0);
	assert_true(m.work > 100 && m.work < 2000);
	assert_return_address(1900, RSP, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_knows_what_is_still_to_be_popped),
		cmocka_unit_test(a_frame_whose_size_is_not_known_is_left_by_its_frame_pointer),
		cmocka_unit_test(a_register_may_be_stored_and_loaded_instead_of_pushed),
		cmocka_unit_test(loops_and_branches_end_somewhere),
		cmocka_unit_test(a_tail_call_leads_on_to_the_other_functions_return),
		cmocka_unit_test(a_call_that_never_returns_leads_into_no_other_function),
		cmocka_unit_test(ways_with_fewer_calls_come_first),
		cmocka_unit_test(a_switch_goes_on_with_its_first_case),
		cmocka_unit_test(a_stack_pointer_that_may_be_anything_says_nothing),
		cmocka_unit_test(code_that_cannot_be_read_has_no_way_out),
		cmocka_unit_test(a_search_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
