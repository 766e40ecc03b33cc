/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a walk over what is known come to what a walk that may wait comes to, or leave it to that one? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "core/walk/nofault.h"
#include "port/image.h"
#include "port/port_buffer.h"
#include "test_arch.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define STACK (STACK_END - IMAGE_STACK_BYTES)
#define OUTERMOST 59
#define ENTRY (IMAGE_BASE + 0x1f00)
#define JIT 0x7000000ULL
#define PAGE_WORDS (PAGE_BYTES / 8)

static struct image im;
static struct walk w;
static struct walk_trace *trace = &w.trace;
static struct stack cold;
static u32 row_wanted_outcome;
static u64 initial[NR_REGS];

/* A call frame instruction with two operands of up to 14 bits. */
static void two(u8 *insn, u8 op, u32 a, u32 b)
{
	insn[0] = op;
	insn[1] = a | 0x80;
	insn[2] = a >> 7;
	insn[3] = b | 0x80;
	insn[4] = b >> 7;
}

/* Function @n: its frame has @words words, with the return address. */
static void function(u32 n, u32 words)
{
	u8 insns[5];

	two(insns, 0x0c, REG_SP, words * 8);
	image_fde(&im, FUNCTION(n), 64, insns, sizeof(insns));
}

/* The same, and saves rbp in the word @saved words below the CFA. */
static void function_that_saves_rbp(u32 n, u32 words, u32 saved)
{
	u8 insns[10];

	two(insns, 0x0c, REG_SP, words * 8);
	two(insns + 5, 0x05, REG_FP, saved);
	image_fde(&im, FUNCTION(n), 64, insns, sizeof(insns));
}

/* Function @n, with a frame pointer, in @reg. */
static void function_with_frame_pointer(u32 n, u32 reg)
{
	image_fde(&im, FUNCTION(n), 64, INSNS(0x0c, reg, 16, 0x80 | REG_FP, 2));
}

static void begin(void)
{
	port_reset();
	image_init(&im);
	memset(initial, 0, sizeof(initial));
	w.max_depth = DEFAULT_DEPTH;
	w.no_cache = 0;
	modules_reset(&w.modules);
	modules_distrust(&w.modules);
}

/* Write @words words, the last of which is @ra. */
static void frame(u32 words, u64 ra)
{
	for (u32 i = 1; i < words; i++)
		put64(&im.up, 0xdead0000 + i);
	put64(&im.up, ra);
}

static void call(u32 words, u32 caller)
{
	frame(words, FUNCTION(caller) + 9);
}

static u64 *word_at(u64 addr)
{
	return &im.stack[(addr - STACK) / 8];
}

static void set_registers(u64 pc)
{
	memcpy(w.machine.reg, initial, sizeof(initial));
	w.machine.reg[REG_PC] = pc;
	w.machine.reg[REG_SP] = initial[REG_SP] ? initial[REG_SP] : STACK;
}

/* From @pc: what a walk that may wait comes to. */
static void walk(u64 pc)
{
	set_registers(pc);
	walk_start(&w);
	walk_stack(&w);
	cold = w.out;
	row_wanted_outcome = w.outcome;
}

static void map(void)
{
	image_fde(&im, FUNCTION(OUTERMOST), 64, INSNS(0x07, REG_RA));
	image_map(&im);
}

/* Learn of mappings and rows. */
static void learn(u64 pc)
{
	map();
	walk(pc);
}

static int warm(u64 pc)
{
	memset(trace, 0xa5, sizeof(*trace));
	memset(&w.out, 0, sizeof(w.out));
	set_registers(pc);
	stack_forget(&w.machine);
	return walk_nofault(&w);
}

/* All of it is known. */
static void assert_same(u64 pc)
{
	assert_int_equal(row_wanted_outcome, UNDEFINED_RA);
	assert_int_equal(warm(pc), 0);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_int_equal(w.out.nr, cold.nr);
	assert_memory_equal(w.out.frame, cold.frame, cold.nr * sizeof(cold.frame[0]));
}

static void assert_cold(u64 pc)
{
	assert_int_equal(warm(pc), -EAGAIN);
}

static void five_calls(void)
{
	begin();
	for (u32 i = 0; i < 5; i++)
		function(i, i + 1);
	for (u32 i = 0; i < 5; i++)
		call(i + 1, i < 4 ? i + 1 : OUTERMOST);
}

static void a_stack_that_was_walked_has_a_no_fault_walk(void **state)
{
	five_calls();
	learn(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	assert_int_equal(w.out.nr, 6);
	for (u32 i = 0; i < 6; i++)
		assert_true(frame_module(w.out.frame[i]) > 0);
}

static void what_it_read_is_noted(void **state)
{
	u32 at = 0;

	five_calls();
	learn(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	assert_int_equal(trace->base, STACK);
	assert_int_equal(trace->used, 0);
	assert_int_equal(trace->reads.nr, 5);
	for (u32 i = 0; i < 5; i++) {
		at += i + 1;
		assert_int_equal(trace->reads.at[i], at - 1);
		assert_int_equal(trace->reads.word[i], im.stack[at - 1]);
	}
	assert_int_equal(trace->reads.span, at);
}

static void a_register_that_was_used_before_it_was_restored_is_noted(void **state)
{
	begin();
	function_with_frame_pointer(0, REG_FP);
	frame(4, 0);
	put64(&im.up, STACK + 80); /* at STACK + 32: the caller's rbp */
	call(1, 0);
	frame(4, 0);
	put64(&im.up, 0); /* at STACK + 80 */
	call(1, OUTERMOST);
	initial[REG_FP] = STACK + 32;
	learn(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	assert_int_equal(w.out.nr, 3);
	assert_int_equal(trace->used, 1 << REG_FP);
	assert_int_equal(trace->reads.nr, 3); /* two return addresses, and one rbp */

	begin();
	function_that_saves_rbp(0, 4, 2);
	function_with_frame_pointer(1, REG_FP);
	frame(2, 0);
	put64(&im.up, STACK + 48);
	call(1, 1);
	frame(2, 0);
	put64(&im.up, 0);
	call(1, OUTERMOST);
	learn(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	assert_int_equal(trace->used, 0);
	assert_int_equal(trace->reads.nr, 3);

	begin();
	function_with_frame_pointer(0, TEST_LOST);
	frame(1, 0);
	call(1, OUTERMOST);
	initial[TEST_LOST] = STACK;
	learn(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	assert_int_equal(trace->used, 1 << TEST_LOST);
}

static void frames_may_straddle_pages(void **state)
{
	for (u32 words = PAGE_WORDS / 2 - 3; words < 5 * PAGE_WORDS; words = words * 3 / 2 + 1) {
		begin();
		function(0, words);
		for (u32 i = 0; i < 8; i++)
			call(words, i < 7 ? 0 : OUTERMOST);
		learn(FUNCTION(0) + 3);
		assert_same(FUNCTION(0) + 3);
		assert_int_equal(w.out.nr, 9);
		assert_int_equal(read_log_is_usable(&trace->reads), 8 * words <= READ_LOG_SPAN);
	}
}

/* Function 0 saves rbp in the page below its return address; function 1 needs it, and has its own in the next page. */
static void a_saved_frame_pointer_may_lie_behind_the_window(void **state)
{
	u32 words = PAGE_WORDS + 100;

	begin();
	function_that_saves_rbp(0, words, words);
	function_with_frame_pointer(1, REG_FP);
	for (u32 i = 0; i < 5; i++) {
		put64(&im.up, here(&im.up) + 8 * words + 8 * (PAGE_WORDS + 50)); /* rbp of function 1 */
		call(words - 1, 1);
		frame(PAGE_WORDS + 50, 0);
		put64(&im.up, 0);
		call(1, i < 4 ? 0 : OUTERMOST);
	}
	learn(FUNCTION(0) + 3);
	assert_int_equal(cold.nr, 11);
	assert_same(FUNCTION(0) + 3);
}

/* A second copy of the file, at an address whose hints are those of the first one. */
static void pages_whose_hints_collide_are_both_known(void **state)
{
	u64 other = IMAGE_BASE;
	struct vma file = {.dev = 1, .ino = IMAGE_INO + 1};

	do
		other += 0x10000;
	while (hint_of(other + 0x1000) != hint_of(IMAGE_CODE));
	begin();
	for (u32 i = 0; i < 2; i++)
		function(i, 2);
	for (u32 i = 0; i < 10; i++) {
		frame(2, other + 0x1000 + 64 + 9);
		call(2, i < 9 ? 0 : OUTERMOST);
	}
	port_map(other, im.bytes, 0x1000, file);
	file.offset = 0x1000;
	file.executable = 1;
	port_map(other + 0x1000, im.bytes + 0x1000, 0x1000, file);
	file.offset = 0x2000;
	file.executable = 0;
	port_map(other + 0x2000, im.bytes + 0x2000, IMAGE_BYTES - 0x2000, file);
	learn(FUNCTION(0) + 3);
	assert_int_equal(cold.nr, 21);
	assert_true(frame_module(cold.frame[0]) != frame_module(cold.frame[1]));
	assert_same(FUNCTION(0) + 3);
}

static void recursion(u32 depth)
{
	begin();
	function(0, 2);
	for (u32 i = 0; i + 2 < depth; i++)
		call(2, 0);
	call(2, OUTERMOST);
	w.max_depth = MAX_DEPTH;
	learn(FUNCTION(0) + 1);
	assert_int_equal(cold.nr, depth);
}

static void more_frames_than_the_read_log_holds_can_be_walked(void **state)
{
	recursion(READ_LOG_WORDS + 1);
	assert_same(FUNCTION(0) + 1);
	assert_true(read_log_is_usable(&trace->reads));
	recursion(READ_LOG_WORDS + 2);
	assert_same(FUNCTION(0) + 1);
	assert_false(read_log_is_usable(&trace->reads));
	recursion(400);
	assert_same(FUNCTION(0) + 1);
	recursion(MAX_DEPTH);
	assert_cold(FUNCTION(0) + 1);
}

static void a_stack_deeper_than_allowed_is_left_alone(void **state)
{
	for (u32 depth = 15; depth < 36; depth++) {
		recursion(depth);
		w.max_depth = depth;
		assert_same(FUNCTION(0) + 1);
		w.max_depth = depth - 1;
		assert_cold(FUNCTION(0) + 1);
	}
}

static void a_stack_that_is_not_there_is_left_alone(void **state)
{
	u32 reads;

	begin();
	function(0, PAGE_WORDS);
	for (u32 i = 0; i < 5; i++)
		call(PAGE_WORDS, i < 4 ? 0 : OUTERMOST);
	learn(FUNCTION(0) + 3);
	port_fail_read(0, 0, false);
	assert_same(FUNCTION(0) + 3);
	reads = port_reads();
	assert_int_equal(reads, 5);
	for (u32 nth = 1; nth <= reads; nth++) {
		port_fail_read(nth, -EFAULT, nth & 1);
		assert_cold(FUNCTION(0) + 3);
	}
	port_fail_read(0, 0, false);
	port_not_safe(STACK + 3 * PAGE_BYTES, STACK + 4 * PAGE_BYTES);
	assert_cold(FUNCTION(0) + 3);
	port_not_safe(0, 0);
	assert_same(FUNCTION(0) + 3);
	port_unmap(STACK);
	assert_cold(FUNCTION(0) + 3);
}

static void nothing_but_the_stack_is_read(void **state)
{
	five_calls();
	learn(FUNCTION(0) + 3);
	port_not_safe(IMAGE_BASE, IMAGE_BASE + IMAGE_BYTES);
	assert_same(FUNCTION(0) + 3);
}

static void an_instruction_whose_row_is_not_known_is_left_alone(void **state)
{
	five_calls();
	learn(FUNCTION(0) + 3);
	assert_cold(FUNCTION(0) + 4);
	*word_at(STACK) = FUNCTION(1) + 10; /* the first return address */
	assert_cold(FUNCTION(0) + 3);
	*word_at(STACK) = FUNCTION(1) + 9;
	assert_same(FUNCTION(0) + 3);
	w.no_cache = 1;
	assert_cold(FUNCTION(0) + 3);
	assert_cold(FUNCTION(OUTERMOST) + 8);
	w.no_cache = 0;
	assert_cold(FUNCTION(OUTERMOST) + 8); /* only what is before a return address there is known */
	learn(FUNCTION(OUTERMOST) + 8);
	assert_int_equal(warm(FUNCTION(OUTERMOST) + 8), 0);
}

static void mappings_that_may_have_changed_are_left_alone(void **state)
{
	five_calls();
	learn(FUNCTION(0) + 3);
	modules_distrust(&w.modules);
	assert_cold(FUNCTION(0) + 3);
	walk(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	modules_reset(&w.modules);
	assert_cold(FUNCTION(0) + 3);
}

static void what_ends_in_another_way_is_left_alone(void **state)
{
	static const u64 ends[] = {0, 0x123456, ENTRY + 8, IMAGE_BASE + 0x1800};
	static const u32 outcomes[] = {ZERO_RA, NO_MAPPING, ENTRY_POINT, THREAD_START};

	for (u32 i = 0; i < COUNT(ends); i++) {
		begin();
		function(0, 2);
		frame(2, ends[i]);
		learn(FUNCTION(0));
		assert_int_equal(row_wanted_outcome, outcomes[i]);
		assert_cold(FUNCTION(0));
	}
}

static void a_caller_that_is_not_above_its_callee_is_left_alone(void **state)
{
	begin();
	function_with_frame_pointer(0, REG_FP);
	frame(8, 0);
	put64(&im.up, STACK + 16);
	call(1, 0); /* at STACK + 72 */
	*word_at(STACK + 24) = FUNCTION(0) + 9;
	initial[REG_FP] = STACK + 64;
	learn(FUNCTION(0) + 3);
	assert_int_equal(row_wanted_outcome, NOT_MONOTONIC);
	assert_cold(FUNCTION(0) + 3);
}

static void lost_registers_are_left_alone(void **state)
{
	begin();
	function(0, 2);
	function_with_frame_pointer(1, TEST_LOST);
	call(2, 1);
	frame(3, 0);
	call(1, OUTERMOST); /* where r10 seems to lead */
	initial[TEST_LOST] = STACK + 32;
	learn(FUNCTION(OUTERMOST) + 8);
	walk(FUNCTION(0) + 3);
	assert_int_equal(row_wanted_outcome, CFA_REGISTER_LOST);
	assert_cold(FUNCTION(0) + 3);
}

/* JIT code, a signal frame, an expression: walked, but not at once. */
static void code_that_needs_more_than_a_simple_row_is_left_to_another_walk(void **state)
{
	static u8 jit_code[PAGE_BYTES];
	u64 context;

	begin();
	function(0, 2);
	function(1, 2);
	test_call(&jit_code[0x97]);
	frame(2, JIT + 0x97);
	frame(2, 0);
	put64(&im.up, STACK + 0x100);
	call(1, 1);
	test_call(&im.bytes[FUNCTION(1) + 9 - IMAGE_BASE]);
	call(2, OUTERMOST);
	initial[REG_FP] = STACK + 32;
	port_map(JIT, jit_code, sizeof(jit_code), (struct vma){.executable = 1});
	learn(FUNCTION(0));
	assert_int_equal(row_wanted_outcome, SP_MAY_BE_LOST ? CFA_REGISTER_LOST : UNDEFINED_RA);
	assert_cold(FUNCTION(0));

	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0f, 2, 0x70 + REG_SP, 16)); /* CFA: sp + 16, by an expression */
	call(2, OUTERMOST);
	learn(FUNCTION(0));
	assert_int_equal(row_wanted_outcome, UNDEFINED_RA);
	assert_cold(FUNCTION(0));

	begin();
	function(0, 2);
	image_cie(&im, "zRS", INSNS(0x1b), INSNS(0));
	image_fde(&im, FUNCTION(1), 64,
		  INSNS(0x0f, 4, 0x70 + REG_SP, 0xa0, 1, 0x06, 0x10, REG_RA, 3, 0x70 + REG_SP, 0xa8, 1));
	image_fde(&im, FUNCTION(OUTERMOST - 1), 64, INSNS(0x07, REG_RA));
	frame(2, FUNCTION(1) + 1);
	context = here(&im.up);
	frame(80, 0);
	*word_at(context + TEST_SIGNAL_SP) = here(&im.up);
	*word_at(context + TEST_SIGNAL_SP + 8) = FUNCTION(OUTERMOST - 1) + 1;
	learn(FUNCTION(0));
	assert_int_equal(w.machine.signal_frames, 1);
	assert_cold(FUNCTION(0));
}

static void a_misaligned_stack_pointer_is_no_frame(void **state)
{
	five_calls();
	learn(FUNCTION(0) + 3);
	initial[REG_SP] = STACK + 4;
	walk(FUNCTION(0) + 3);
	assert_int_equal(row_wanted_outcome, MISALIGNED);
	assert_cold(FUNCTION(0) + 3);
}

static void a_misaligned_frame_pointer_is_no_frame(void **state)
{
	begin();
	function_with_frame_pointer(0, REG_FP);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, REG_FP, 16, 0x07, REG_RA));
	put32(&im.up, 0);
	put64(&im.up, STACK + 64); /* at STACK + 4, where rbp points */
	put64(&im.up, FUNCTION(0) + 9);
	put32(&im.up, 0);
	frame(5, 0);
	put64(&im.up, 0); /* at STACK + 64 */
	put64(&im.up, FUNCTION(OUTERMOST) + 9);
	initial[REG_SP] = STACK + 4;
	initial[REG_FP] = STACK + 4;
	learn(FUNCTION(0) + 8);
	walk(FUNCTION(OUTERMOST) + 8);
	walk(FUNCTION(0) + 3);
	assert_int_equal(row_wanted_outcome, MISALIGNED);
	assert_cold(FUNCTION(0) + 3);

	walk(FUNCTION(1)); /* nor if it is the outermost one */
	assert_int_equal(row_wanted_outcome, MISALIGNED);
	initial[REG_SP] = STACK;
	assert_cold(FUNCTION(1));
}

static void a_stack_pointer_that_does_not_matter_may_be_misaligned(void **state)
{
	begin();
	function_with_frame_pointer(0, REG_FP);
	frame(4, 0);
	put64(&im.up, 0);
	call(1, OUTERMOST);
	initial[REG_FP] = STACK + 32;
	initial[REG_SP] = STACK + 12;
	learn(FUNCTION(0) + 3);
	assert_same(FUNCTION(0) + 3);
	assert_true(read_log_is_usable(&trace->reads));
}

/* With offsets in units of 4 bytes a CFA may be no word though the return address lies at one. */
static void a_frame_that_is_no_number_of_words_is_misaligned_for_all(void **state)
{
	static const u8 cie[] = {
		0x14,	       0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x7c, REG_RA, 1, 0x1b, 0x0c, REG_SP, 12,
		0x80 | REG_RA, 1, 0, 0,
	};

	begin();
	im.cie = here(&im.eh_frame);
	put(&im.eh_frame, cie, sizeof(cie));
	image_fde(&im, FUNCTION(0), 64, INSNS(0));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x80 | REG_RA, 2));
	image_cie(&im, "zR", INSNS(0x1b), INSNS(0x0c, REG_SP, 8, 0x80 | REG_RA, 1));
	call(2, 1);
	call(1, OUTERMOST);
	learn(FUNCTION(0) + 3);
	assert_int_equal(row_wanted_outcome, MISALIGNED);
	walk(FUNCTION(1) + 8);
	walk(FUNCTION(OUTERMOST) + 8);
	walk(FUNCTION(0) + 3); /* all rows are known now */
	assert_int_equal(row_wanted_outcome, MISALIGNED);
	assert_cold(FUNCTION(0) + 3);
}

static void the_outermost_frame_of_a_stack_that_is_no_number_of_words_is_misaligned_for_all(void **state)
{
	five_calls();
	learn(FUNCTION(OUTERMOST) + 8);
	assert_same(FUNCTION(OUTERMOST) + 8);
	for (u64 off = 1; off < 8; off++) {
		initial[REG_SP] = STACK + off;
		walk(FUNCTION(OUTERMOST) + 8);
		assert_int_equal(row_wanted_outcome, MISALIGNED);
		assert_cold(FUNCTION(OUTERMOST) + 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_that_was_walked_has_a_no_fault_walk),
		cmocka_unit_test(what_it_read_is_noted),
		cmocka_unit_test(a_register_that_was_used_before_it_was_restored_is_noted),
		cmocka_unit_test(frames_may_straddle_pages),
		cmocka_unit_test(a_saved_frame_pointer_may_lie_behind_the_window),
		cmocka_unit_test(pages_whose_hints_collide_are_both_known),
		cmocka_unit_test(more_frames_than_the_read_log_holds_can_be_walked),
		cmocka_unit_test(a_stack_deeper_than_allowed_is_left_alone),
		cmocka_unit_test(a_stack_that_is_not_there_is_left_alone),
		cmocka_unit_test(nothing_but_the_stack_is_read),
		cmocka_unit_test(an_instruction_whose_row_is_not_known_is_left_alone),
		cmocka_unit_test(mappings_that_may_have_changed_are_left_alone),
		cmocka_unit_test(what_ends_in_another_way_is_left_alone),
		cmocka_unit_test(a_caller_that_is_not_above_its_callee_is_left_alone),
		cmocka_unit_test(lost_registers_are_left_alone),
		cmocka_unit_test(code_that_needs_more_than_a_simple_row_is_left_to_another_walk),
		cmocka_unit_test(a_misaligned_stack_pointer_is_no_frame),
		cmocka_unit_test(a_misaligned_frame_pointer_is_no_frame),
		cmocka_unit_test(a_stack_pointer_that_does_not_matter_may_be_misaligned),
		cmocka_unit_test(a_frame_that_is_no_number_of_words_is_misaligned_for_all),
		cmocka_unit_test(the_outermost_frame_of_a_stack_that_is_no_number_of_words_is_misaligned_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
