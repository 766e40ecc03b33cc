/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a known stack walked to its end, and does every other walk end early, by name, and with true frames? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "core/tables/encoding.h"
#include "core/rowcache.h"
#include "port/image.h"
#include "port/port_buffer.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define STACK (STACK_END - IMAGE_STACK_BYTES)
#define ENTRY (IMAGE_BASE + 0x1f00) /* no FDE there */
#define JIT 0x7000000ULL

static struct image im;
static struct walk w;
static struct vma anon_like = {.executable = 1};

/* What has to come out. */
static struct {
	u64 pc;
	bool is_return;
} want[MAX_DEPTH + 1];
static u32 nr_want;

static void expect(u64 pc, bool is_return)
{
	want[nr_want].pc = pc;
	want[nr_want++].is_return = is_return;
}

/* A new image with a stack that is still empty. */
static void begin(void)
{
	port_reset();
	image_init(&im);
	nr_want = 0;
}

/* Function @n: 64 bytes of code, a frame of @words words with the return address. */
static void function(u32 n, u32 words)
{
	image_fde(&im, FUNCTION(n), 64, INSNS(0x0e, words * 8));
}

static void outermost(u32 n)
{
	image_fde(&im, FUNCTION(n), 64, INSNS(0x07, RIP));
}

/* Push a frame of @words words that returns to @ra. */
static void frame(u32 words, u64 ra)
{
	for (u32 i = 1; i < words; i++)
		put64(&im.up, 0xdead0000 + i);
	put64(&im.up, ra);
	expect(ra, true);
}

static void start(u64 pc)
{
	memmove(want + 1, want, nr_want * sizeof(want[0]));
	want[0].pc = pc;
	want[0].is_return = false;
	nr_want++;
	image_map(&im);
	image_start(&im, &w, pc);
}

/* The walk from where w stands, without the row cache; and that it is the same with it, cold and warm. */
static u32 walk(void)
{
	static struct machine before;
	static struct stack out;
	u32 outcome;

	before = w.machine;
	walk_stack(&w);
	out = w.out;
	outcome = w.outcome;
	for (int round = 0; round < 3; round++) {
		memcpy(w.machine.reg, before.reg, sizeof(before.reg));
		w.no_cache = round == 2;
		walk_start(&w);
		walk_stack(&w);
		assert_int_equal(w.outcome, outcome);
		assert_int_equal(w.out.nr, out.nr);
		assert_memory_equal(w.out.frame, out.frame, out.nr * sizeof(out.frame[0]));
	}
	return outcome;
}

static bool is_wanted(u32 i)
{
	u64 file = frame_place(w.out.frame[i]), addr = frame_make(FRAME_ANON, want[i].pc, want[i].is_return);
	u64 off = want[i].pc - IMAGE_BASE;

	if (frame_module(file) == FRAME_ANON)
		return file == addr;
	return file == frame_make(frame_module(file), off, want[i].is_return);
}

static void check_frames(u32 nr)
{
	assert_int_equal(w.out.nr, nr);
	for (u32 i = 0; i < nr; i++)
		assert_true(is_wanted(i));
}

/* Five functions, called one by the other, and the outermost one. */
static void five_calls(void)
{
	begin();
	for (u32 i = 0; i < 5; i++)
		function(i, i + 1);
	outermost(5);
	for (u32 i = 0; i < 5; i++)
		frame(i + 1, FUNCTION(i + 1) + 9);
	start(FUNCTION(0) + 3);
}

static void a_known_stack_is_walked_to_its_end(void **state)
{
	five_calls();
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(6);
	for (u32 i = 0; i < 6; i++) {
		assert_true(frame_module(w.out.frame[i]) > 0);
		assert_int_equal(frame_method(w.out.frame[i]), BY_CFI);
	}
}

static void rows_that_are_known_are_not_read_again(void **state)
{
	five_calls();
	for (u32 round = 0; round < 2; round++) {
		u32 misses = round ? 0 : 6;

		image_start(&im, &w, FUNCTION(0) + 3);
		w.no_cache = 0;
		walk_stack(&w);
		assert_int_equal(w.outcome, UNDEFINED_RA);
		check_frames(6);
		assert_int_equal(w.row_misses, misses);
		assert_int_equal(!!w.ehframe.cfi.in.fills, !!misses);
	}
}

/* Only the stack says that a part of a large function was called. */
static void a_row_that_the_stack_has_corrected_is_not_shared(void **state)
{
	static const u64 returns[] = {IMAGE_CODE + 0x200, IMAGE_CODE + 0x800};
	const s32 rel = 0x100;

	begin();
	image_fde(&im, IMAGE_CODE, 0x1000, INSNS(0x0e, 32));
	memset(im.bytes + 0x1000, 0x90, 0x1000);
	im.bytes[0x11fb] = 0xe8;
	memcpy(im.bytes + 0x11fc, &rel, sizeof(rel));
	for (u32 i = 0; i < 4; i++)
		put64(&im.up, i == 3 ? returns[1] : 1);
	image_map(&im);
	for (u32 called = 2; called--;) {
		im.stack[0] = called ? returns[0] : 1;
		image_start(&im, &w, IMAGE_CODE + 0x310);
		w.no_cache = 0;
		walk_stack(&w);
		assert_true(w.out.nr > 1);
		assert_int_equal(frame_offset(w.out.frame[1]), returns[!called] - IMAGE_BASE);
	}
}

static void a_return_address_across_words_is_not_simple(void **state)
{
	for (s32 off = -16; off <= 16; off++) {
		struct row row = {.cfa_kind = CFA_REG, .cfa_reg = REG_SP};

		row.rule[SLOT_RA] = RULE_OFFSET;
		row.off[SLOT_RA] = off;
		walk_classify(&row, 8);
		assert_int_equal(!!(row.flags & ROW_SIMPLE), off % 8 == 0);
		row.flags = 0;
		walk_classify(&row, 4);
		assert_int_equal(!!(row.flags & ROW_SIMPLE), off % 4 == 0);
	}
}

static void a_call_that_ends_its_function_is_looked_up_inside_it(void **state)
{
	begin();
	function(0, 2);
	function(1, 3);
	outermost(2);
	frame(2, FUNCTION(2)); /* function 1 ends with a call that does not return */
	frame(3, FUNCTION(2) + 9);
	start(FUNCTION(0));
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
}

static void recursion(u32 depth)
{
	begin();
	function(0, 2);
	outermost(1);
	for (u32 i = 0; i + 2 < depth; i++)
		frame(2, FUNCTION(0) + 5);
	frame(2, FUNCTION(1) + 5);
	start(FUNCTION(0) + 1);
}

/* The @most frames that are kept: the innermost, a gap, and the outermost, each the one that it is in the whole stack. */
static void check_kept(u32 most)
{
	u32 outer = most / 4, first = most - outer;

	assert_int_equal(w.out.nr, most);
	for (u32 i = 0; i < first; i++)
		assert_true(is_wanted(i));
	if (outer)
		assert_int_equal(w.out.frame[first], FRAME_GAP);
	for (u32 i = outer; i-- > 1;) {
		const u32 whole = nr_want - outer + i;

		w.out.frame[whole] = w.out.frame[first + i]; /* never over one that is still to be looked at */
		assert_true(is_wanted(whole));
	}
}

static void a_stack_that_is_too_deep_keeps_both_its_ends(void **state)
{
	static const u32 depths[] = {2, 3, 100, 700, MAX_DEPTH}, kept[] = {1, 2, 3, 4, 5, 8, 24, 99, 512, MAX_DEPTH};

	for (size_t i = 0; i < COUNT(depths); i++) {
		recursion(depths[i]);
		w.max_depth = depths[i];
		assert_int_equal(walk(), UNDEFINED_RA);
		check_frames(depths[i]);
		for (size_t k = 0; k < COUNT(kept) && kept[k] < depths[i]; k++) {
			recursion(depths[i]);
			w.max_depth = kept[k];
			assert_int_equal(walk(), TOO_DEEP);
			check_kept(kept[k]);
		}
	}
}

/* What is not known to be the outer end is not kept as such; an end of another kind is named. */
static void a_deep_stack_without_its_outer_end_says_why(void **state)
{
	size_t ended_between = 0;

	for (u32 work = 0; work < 10000; work += 100) {
		recursion(100);
		w.max_depth = 40;
		w.machine.work = WORK - work;
		walk_stack(&w);
		assert_true(w.outcome == TOO_LONG || w.outcome == TOO_DEEP);
		if (w.outcome == TOO_LONG || w.out.nr == 40)
			continue;
		check_frames(30);
		ended_between++;
	}
	assert_true(ended_between > 0);
	recursion(100);
	memset(im.up.bytes + im.up.len - 8, 1, 8); /* the return address of the outermost frame but one */
	w.max_depth = 40;
	assert_int_equal(walk(), NO_MAPPING);
	assert_int_equal(w.out.nr, 40);
	assert_int_equal(w.out.frame[30], FRAME_GAP);
}

static bool is_named(u32 outcome, int err)
{
	if (err == -EACCES)
		return outcome == PAGE_NOT_SAFE;
	return outcome == TABLE_UNREADABLE || outcome == STACK_UNREADABLE || outcome == CFA_REGISTER_LOST ||
	       outcome == NO_FDE;
}

/* A stack, and the outcome of its walk if nothing fails. */
struct known {
	void (*make)(void);
	u64 pc;
	u32 outcome;
};

/* Whichever read fails, alone or with all after it: the frames are the first of the true ones, or all. */
static void fail_each_read(const struct known *known, int err, bool stay, bool warm)
{
	u32 reads, whole = 0;

	known->make();
	if (warm) {
		w.no_cache = 0;
		walk_stack(&w);
		image_start(&im, &w, known->pc);
		w.no_cache = 0;
	}
	port_fail_read(0, 0, false);
	walk_stack(&w);
	reads = port_reads();
	assert_true(reads > 0);
	for (u32 nth = 1; nth <= reads; nth++) {
		if (!warm)
			known->make();
		image_start(&im, &w, known->pc);
		w.no_cache = !warm;
		port_fail_read(nth, err, stay);
		walk_stack(&w);
		assert_true(w.out.nr >= 1 && w.out.nr <= nr_want);
		check_frames(w.out.nr);
		if (w.outcome == known->outcome) {
			assert_int_equal(w.out.nr, nr_want);
			whole++;
		} else {
			assert_true(is_named(w.outcome, err));
		}
	}
	assert_true(whole < reads);
}

/* What makecontext() lets its function return to: the start of a function, which has no FDE. */
static void context(void)
{
	begin();
	function(0, 2);
	frame(2, IMAGE_BASE + 0x1800);
	start(FUNCTION(0));
}

static void no_failing_read_makes_a_wrong_frame(void **state)
{
	static const struct known stacks[] = {
		{five_calls, FUNCTION(0) + 3, UNDEFINED_RA},
		{context, FUNCTION(0), THREAD_START},
	};

	for (size_t i = 0; i < COUNT(stacks); i++)
		for (int kind = 0; kind < 8; kind++)
			fail_each_read(&stacks[i], kind & 1 ? -EACCES : -EFAULT, kind & 2, kind & 4);
}

/* Signal frames: "zRS", the CFA is the rsp in the kernel's frame, and so are the registers. */
#define UC_RSP 160 /* from rsp when the handler has returned: struct ucontext's general registers */
#define UC_RIP 168

static void signal_frame_function(u32 n)
{
	image_cie(&im, "zRS", INSNS(0x1b), INSNS(0));
	image_fde(&im, FUNCTION(n), 64,
		  INSNS(0x0f, 4, 0x77, 0xa0, 1, 0x06,  /* CFA: *(rsp + 160) */
			0x10, RIP, 3, 0x77, 0xa8, 1)); /* RA lies at rsp + 168 */
}

static void a_signal_frame_leads_to_the_interrupted_instruction(void **state)
{
	u64 context, interrupted;

	begin();
	function(0, 2); /* the handler */
	function(1, 4); /* interrupted at its first instruction, after def_cfa_offset by hand */
	function(2, 3);
	outermost(3);
	signal_frame_function(4);
	frame(2, FUNCTION(4) + 1);
	want[nr_want - 1].is_return = false; /* nobody called it */
	context = here(&im.up);
	for (u32 i = 0; i < 40; i++)
		put64(&im.up, 0xbad0000 + i);
	interrupted = here(&im.up);
	memcpy(im.up.bytes + (context + UC_RSP - STACK), &interrupted, 8);
	memcpy(im.up.bytes + (context + UC_RIP - STACK), &(u64){FUNCTION(1)}, 8);
	expect(FUNCTION(1), false);
	frame(4, FUNCTION(2) + 9);
	frame(3, FUNCTION(3) + 9);
	start(FUNCTION(0) + 3);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(5);
	assert_int_equal(w.machine.signal_frames, 1);
	assert_int_equal(w.machine.expressions, 2);
}

static void a_frame_below_a_signal_frame_may_be_empty(void **state)
{
	u64 context;

	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 0, 0x09, RIP, RBX)); /* as vfork(): CFA = rsp, RA in rbx */
	outermost(2);
	signal_frame_function(3);
	frame(2, FUNCTION(3) + 1);
	want[nr_want - 1].is_return = false;
	context = here(&im.up);
	for (u32 i = 0; i < 40; i++)
		put64(&im.up, 0);
	memcpy(im.up.bytes + (context + UC_RSP - STACK), &(u64){here(&im.up)}, 8);
	memcpy(im.up.bytes + (context + UC_RIP - STACK), &(u64){FUNCTION(1) + 1}, 8);
	memcpy(im.up.bytes + (context + 40 + 8 * 11 - STACK), &(u64){FUNCTION(2) + 1}, 8); /* rbx */
	expect(FUNCTION(1) + 1, false);
	expect(FUNCTION(2) + 1, true);
	start(FUNCTION(0) + 3);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(4);
}

static void only_a_frame_that_was_interrupted_may_be_empty(void **state)
{
	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 0, 0x09, RIP, RBX));
	frame(2, FUNCTION(1) + 1);
	start(FUNCTION(0));
	w.machine.reg[RBX] = FUNCTION(1) + 1; /* for ever and ever */
	assert_int_equal(walk(), NOT_MONOTONIC);
	check_frames(2);

	image_start(&im, &w, FUNCTION(1) + 1);
	w.machine.reg[RBX] = FUNCTION(0) + 1;
	assert_int_equal(walk(), NOT_MONOTONIC);
	assert_int_equal(w.out.nr, 3); /* itself, its caller, and that one's "caller" that is empty */
}

static void a_frame_pointer_chain_of_cfi_needs_the_register_that_was_saved(void **state)
{
	u64 outer_fp;

	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0c, RBP, 16, 0x80 | RBP, 2));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, RBP, 16)); /* does not say where it saved rbp */
	outermost(2);
	put64(&im.up, STACK + 48);
	put64(&im.up, FUNCTION(1) + 9);
	expect(FUNCTION(1) + 9, true);
	for (u32 i = 0; i < 5; i++)
		put64(&im.up, 0);
	put64(&im.up, FUNCTION(2) + 9);
	expect(FUNCTION(2) + 9, true);
	start(FUNCTION(0) + 3);
	w.machine.reg[RBP] = STACK;
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
	outer_fp = w.machine.reg[RBP];
	assert_int_equal(outer_fp, STACK + 48);

	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, R10, 16)); /* r10 is lost after a call */
	frame(2, FUNCTION(1) + 9);
	start(FUNCTION(0) + 3);
	assert_int_equal(walk(), CFA_REGISTER_LOST);
	assert_int_equal(w.machine.detail, R10);
	check_frames(2);
}

static void the_entry_point_needs_no_fde(void **state)
{
	begin();
	function(0, 2);
	frame(2, ENTRY + 8);
	start(FUNCTION(0));
	assert_int_equal(walk(), ENTRY_POINT);
	check_frames(2);

	begin();
	function(0, 2);
	frame(2, ENTRY + 0x84);
	start(FUNCTION(0));
	assert_int_equal(walk(), NO_FDE);
	check_frames(2);
}

/* A call, so that @addr + 9 is a return address to those who look at the code. */
static void call_before_return(u64 addr)
{
	im.bytes[addr + 4 - IMAGE_BASE] = 0xe8;
}

static void stub(void)
{
	begin();
	function(0, 2);
	outermost(1);
	memcpy(im.bytes + 0x1800, "\xff\x25\1\2\3\4\x68\1\0\0\0\xe9\1\2\3\4", 16);
	frame(2, FUNCTION(0) + 9); /* the pushed index and the return address: jmp plt0 comes next */
	frame(2, FUNCTION(1) + 9);
	start(IMAGE_BASE + 0x180b);
}

/* _start of programs for CPUs with CET: its CFI says that nobody called it from the second instruction on. */
static void nobody_called_the_entry_point_whatever_cfi_says(void **state)
{
	begin();
	image_fde(&im, ENTRY, 64, INSNS(0x44, 0x07, RIP));
	frame(1, 3);
	start(ENTRY);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(1);
}

static void a_stub_without_fde_is_known_by_its_code(void **state)
{
	stub();
	call_before_return(FUNCTION(0));
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
	assert_int_equal(frame_method(w.out.frame[0]), BY_CODE);
	assert_int_equal(frame_method(w.out.frame[1]), BY_CFI);
}

/* _init() of programs with OpenSSL in them: call OPENSSL_cpuid_setup; add $8,%rsp; ret */
static void a_call_before_the_end_of_a_function_without_fde_is_known_by_that_end(void **state)
{
	begin();
	function(0, 2);
	outermost(1);
	memcpy(im.bytes + 0x1800, "\xe8\1\2\3\4\x48\x83\xc4\x08\xc3", 10);
	frame(2, IMAGE_BASE + 0x1805);
	frame(2, FUNCTION(1) + 9);
	call_before_return(FUNCTION(1));
	start(FUNCTION(0) + 9);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
	assert_int_equal(frame_method(w.out.frame[1]), BY_CODE);
}

static void a_guess_that_does_not_lead_behind_a_call_is_not_believed(void **state)
{
	stub();
	assert_int_equal(walk(), NO_FDE);
	check_frames(1);
}

/* Code without FDE, whose frame pointer leads to its caller. */
static void framed(void)
{
	begin();
	outermost(1);
	put64(&im.up, 0);
	put64(&im.up, FUNCTION(1) + 9);
	expect(FUNCTION(1) + 9, true);
	call_before_return(FUNCTION(1));
	start(IMAGE_BASE + 0x1900);
	w.machine.reg[RBP] = STACK;
}

/* The frame pointer is the caller's: it leads to the caller's caller, FUNCTION(3). */
static void a_leaf_without_a_frame_does_not_hide_its_caller(void **state)
{
	for (int pushes = 0; pushes < 2; pushes++) {
		begin();
		image_fde(&im, FUNCTION(2), 64, INSNS(0x0c, RBP, 16, 0x80 | RBP, 2));
		outermost(3);
		memcpy(im.bytes + 0x1900, pushes ? "\x31\xc0\x5b\xc3" : "\x31\xc0\x90\xc3",
		       4); /* xor, perhaps pop %rbx, ret */
		if (pushes)
			put64(&im.up, 0x1234);
		frame(1, FUNCTION(2) + 9);
		put64(&im.up, 0);
		frame(1, FUNCTION(3) + 9);
		call_before_return(FUNCTION(2));
		call_before_return(FUNCTION(3));
		start(IMAGE_BASE + 0x1900);
		w.machine.reg[RBP] = STACK + 8 * (1 + pushes);
		assert_int_equal(walk(), UNDEFINED_RA);
		check_frames(3);
		assert_int_equal(frame_method(w.out.frame[0]), BY_CODE);
	}
}

#define ROUTINE (IMAGE_BASE + 0x1900)
#define BEHIND_ROUTINE (IMAGE_BASE + 0x1985)

/* Code without FDE that keeps nothing on the stack calls a routine of its own, of @bytes bytes at @code. */
static void calls_routine(const char *code, size_t bytes)
{
	begin();
	function(0, 2);
	outermost(1);
	call_before_return(FUNCTION(1));
	memcpy(im.bytes + 0x1900, code, bytes);
	memcpy(im.bytes + 0x1980, "\xe8\x7b\xff\xff\xff\x31\xc0\xc3", 8); /* call 0x1900; xor; ret */
}

static void code_behind_a_routine_that_returns_is_followed(void **state)
{
	calls_routine("\x31\xc0\x90\xc3", 4); /* xor, nop, ret */
	frame(1, BEHIND_ROUTINE);
	frame(1, FUNCTION(1) + 9);
	start(ROUTINE);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
	assert_int_equal(frame_method(w.out.frame[1]), BY_CODE);
}

/* What is behind such a call may be of another function. */
static void code_behind_a_call_that_may_not_return_is_not_followed(void **state)
{
	static const struct {
		const char *code;
		size_t bytes;
	} routines[] = {{"\x31\xc0\xf4", 3},		  /* xor, hlt */
			{"\x58\x31\xc0\xc3", 4},	  /* pop, xor, ret: the stack is another one */
			{"\xe8\x10\x00\x00\x00\xc3", 6}}; /* it calls what may not return */

	for (size_t i = 0; i < COUNT(routines); i++) {
		calls_routine(routines[i].code, routines[i].bytes);
		frame(2, BEHIND_ROUTINE);
		frame(1, FUNCTION(1) + 9);
		start(FUNCTION(0));
		assert_int_equal(walk(), NO_FDE);
		check_frames(2);
	}
}

#define UPROBES 0x7ffff000ULL

/* The return address at the @i-th word of the stack is that of a uretprobe. */
static void probe_return(u32 i)
{
	port_uretprobe(UPROBES, STACK + 8 * i, im.stack[i]);
	im.stack[i] = UPROBES;
}

static void a_return_address_that_a_uretprobe_took_is_the_true_one(void **state)
{
	five_calls();
	probe_return(2); /* of function 1 */
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(6);
	assert_int_equal(frame_method(w.out.frame[2]), BY_CFI);

	five_calls();
	probe_return(2);
	im.stack[5] = UPROBES; /* and this one is not known */
	assert_int_equal(walk(), URETPROBE);
	check_frames(3);
}

/* It has pushed three words when it makes its system call. */
static void what_has_just_returned_to_a_uretprobe_is_left(void **state)
{
	five_calls();
	image_start(&im, &w, UPROBES + 13);
	w.machine.sp = w.machine.reg[REG_SP] = STACK - 16;
	port_uretprobe(UPROBES, STACK, im.stack[0]);
	want[0] = want[1];
	memmove(want + 1, want + 2, (nr_want - 2) * sizeof(want[0]));
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(5);

	image_start(&im, &w, UPROBES + 13);
	port_uretprobe(UPROBES, STACK + 0x1000, im.stack[0]);
	assert_int_equal(walk(), URETPROBE);
	assert_int_equal(w.out.nr, 1);
}

static void a_guess_may_lead_to_what_a_uretprobe_took(void **state)
{
	stub();
	call_before_return(FUNCTION(0));
	probe_return(1);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);

	framed();
	probe_return(1);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(2);
}

/* OpenSSL's AES-GCM keeps the CFA in rax while it calls routines of its own, which leave it alone. */
static void cfa_in_rax(u64 rax)
{
	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, RAX, 16));
	outermost(2);
	frame(2, FUNCTION(1) + 9);
	for (u32 i = 0; i < 4; i++)
		put64(&im.up, 0);
	put64(&im.up, FUNCTION(2) + 9);
	expect(FUNCTION(2) + 9, true);
	start(FUNCTION(0) + 3);
	w.machine.reg[RAX] = rax;
}

static void a_register_that_a_call_may_change_is_believed_behind_a_call(void **state)
{
	cfa_in_rax(STACK + 40);
	call_before_return(FUNCTION(2));
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);

	cfa_in_rax(STACK + 40); /* no call is there */
	assert_int_equal(walk(), CFA_REGISTER_LOST);
	check_frames(2);

	cfa_in_rax(STACK + 32); /* it has changed */
	call_before_return(FUNCTION(2));
	assert_int_equal(walk(), CFA_REGISTER_LOST);
	check_frames(2);

	cfa_in_rax(STACK + 40); /* a call, in what is no code */
	im.stack[6] = IMAGE_HDR + 0x909;
	im.bytes[0x2904] = 0xe8;
	assert_int_equal(walk(), CFA_REGISTER_LOST);
	check_frames(2);
}

static void where_tables_cannot_be_read_no_frame_pointer_is_guessed(void **state)
{
	framed();
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(2);
	assert_int_equal(frame_method(w.out.frame[0]), BY_FRAME_POINTER);
	framed();
	port_not_safe(IMAGE_HDR, IMAGE_HDR + PAGE_BYTES); /* there may well be an FDE that says otherwise */
	assert_int_equal(walk(), PAGE_NOT_SAFE);
	check_frames(1);
	framed();
	port_not_safe(IMAGE_BASE, IMAGE_BASE + PAGE_BYTES); /* or tables */
	assert_int_equal(walk(), PAGE_NOT_SAFE);
	assert_int_equal(w.out.nr, 1);
}

static void a_full_table_of_modules_takes_no_frame_away(void **state)
{
	five_calls();
	port_module_limit(0);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(6);
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(frame_module(w.out.frame[i]), FRAME_ANON);
}

static void a_page_that_is_not_safe_ends_the_walk_and_says_so(void **state)
{
	five_calls();
	port_not_safe(IMAGE_EH_FRAME, IMAGE_EH_FRAME + PAGE_BYTES);
	assert_int_equal(walk(), PAGE_NOT_SAFE);
	check_frames(1);
	five_calls();
	port_not_safe(STACK, STACK + PAGE_BYTES);
	assert_int_equal(walk(), PAGE_NOT_SAFE);
	check_frames(1);
	five_calls();
	port_not_safe(IMAGE_BASE, IMAGE_BASE + PAGE_BYTES);
	assert_int_equal(walk(), PAGE_NOT_SAFE);
	assert_int_equal(w.out.nr, 1);
}

static void a_new_thread_is_complete(void **state)
{
	begin();
	function(0, 2);
	memcpy(im.bytes + 0x1800, "\x0f\x05", 2);
	start(IMAGE_BASE + 0x1802);
	assert_int_equal(walk(), THREAD_START);
	check_frames(1);
}

static void the_parent_of_a_new_thread_goes_on_to_its_caller(void **state)
{
	begin();
	function(0, 2);
	outermost(1);
	memcpy(im.bytes + 0x1800, "\x0f\x05", 2);
	frame(1, FUNCTION(0) + 9);
	frame(2, FUNCTION(1) + 9);
	call_before_return(FUNCTION(0));
	start(IMAGE_BASE + 0x1802);
	w.machine.reg[RAX] = 4711;
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
}

static void a_context_that_nobody_called_is_complete(void **state)
{
	context();
	assert_int_equal(walk(), THREAD_START);
	check_frames(2);
}

/* JIT code at JIT whose frame pointer chain leads back to function 1. */
static u8 jit_code[PAGE_BYTES];

static void jit(void)
{
	begin();
	function(0, 2);
	function(1, 2);
	outermost(2);
	jit_code[0x95] = jit_code[0xff] = 0xff;
	jit_code[0x96] = 0xd0;
	frame(2, JIT + 0x97); /* function 0 was called by JIT code, ... */
	put64(&im.up, 0);
	put64(&im.up, 0);
	put64(&im.up, STACK + 0x100);	/* rbp */
	put64(&im.up, FUNCTION(1) + 9); /* which was called by function 1 */
	expect(FUNCTION(1) + 9, true);
	im.bytes[FUNCTION(1) + 4 - IMAGE_BASE] = 0xe8;
	frame(2, FUNCTION(2) + 9);
	start(FUNCTION(0));
	w.machine.reg[RBP] = STACK + 32;
	port_map(JIT, jit_code, sizeof(jit_code), anon_like);
}

static void jit_code_is_crossed_by_its_frame_pointer(void **state)
{
	jit();
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(4);
	assert_int_equal(frame_module(w.out.frame[1]), FRAME_ANON);
	assert_int_equal(frame_offset(w.out.frame[1]), JIT + 0x97);
	assert_int_equal(frame_method(w.out.frame[1]), BY_FRAME_POINTER);
	assert_int_equal(w.machine.fp_steps, 1);
}

/* Go's code is at JIT: goexit(), systemstack() where it comes back from a function, two calls; its data are at GO. */
#define GO 0x30000000ULL
#define GOEXIT (JIT + 0x200)
#define SYSTEMSTACK (JIT + 0x302)
#define CALLER (JIT + 0x107)

enum { G0 = 0, THREAD = 0x400, G = 0x800, G_STACK = 0xc00, G_FRAME = 0xc40 }; /* in the data */

static u64 go_data[PAGE_BYTES / 8];

#define GO_WORD(at) go_data[(at) / 8]

static void go_code(void)
{
	memset(jit_code, 0, sizeof(jit_code));
	memcpy(jit_code + 0x95, "\xff\xd0", 2);
	memcpy(jit_code + 0x105, "\xff\xd0", 2);
	memcpy(jit_code + 0x200, "\x90\xe8\1\2\3\4\x90", 7);
	memcpy(jit_code + 0x300,
	       "\xff\xd7\x64\x48\x8b\x04\x25\xf8\xff\xff\xff\x48\x8b\x58\x30\x48\x8b\x83\xc0\0\0\0"
	       "\x64\x48\x89\x04\x25\xf8\xff\xff\xff\x48\x8b\x60\x38\xc3",
	       36);
}

/* Function 0, called by a function with a frame pointer, which returns to @ra with @bp. */
static void go_calls(u64 bp, u64 ra)
{
	begin();
	go_code();
	function(0, 2);
	frame(2, JIT + 0x97);
	put64(&im.up, 0);
	put64(&im.up, 0);
	put64(&im.up, bp);
	put64(&im.up, ra);
	expect(ra, true);
}

static void go_start(void)
{
	start(FUNCTION(0));
	w.machine.reg[RBP] = STACK + 32;
	w.machine.reg[R14] = GO + G0;
	port_map(JIT, jit_code, sizeof(jit_code), anon_like);
	port_map(GO, (u8 *)go_data, sizeof(go_data), anon_like);
}

static void a_goroutine_begins_below_goexit(void **state)
{
	go_calls(0, GOEXIT + 1);
	go_start();
	assert_int_equal(walk(), THREAD_START);
	check_frames(3);

	go_calls(STACK + 64, GOEXIT + 1); /* something called it: that is not how goroutines begin */
	go_start();
	assert_int_equal(walk(), JIT_CODE);
	check_frames(2);
}

static void a_thread_of_go_begins_in_its_clone(void **state)
{
	go_calls(0x1234, JIT + 0x405); /* mstart(), which has no frame, ... */
	memcpy(jit_code + 0x400, "\xe8\1\2\3\4\xc3", 6);
	put64(&im.up, JIT + 0x503); /* in its clone() */
	expect(JIT + 0x503, true);
	memcpy(jit_code + 0x500, "\x41\xff\xd4\xbf\x6f\0\0\0\xb8\x3c\0\0\0\x0f\x05\xeb\xf2", 17);
	go_start();
	assert_int_equal(walk(), THREAD_START);
	check_frames(4);
}

static void system_stack(u64 bp)
{
	go_calls(bp, SYSTEMSTACK);
	expect(CALLER, true);
	expect(GOEXIT + 1, true);
	memset(go_data, 0, sizeof(go_data));
	GO_WORD(G0 + 48) = GO + THREAD;
	GO_WORD(THREAD) = GO + G0;
	GO_WORD(THREAD + 0xc0) = GO + G;
	GO_WORD(G + 8) = GO + PAGE_BYTES;
	GO_WORD(G + 48) = GO + THREAD;
	GO_WORD(G + 56) = GO + G_STACK;
	GO_WORD(G + 104) = GO + G_FRAME;
	GO_WORD(G_STACK) = CALLER;
	GO_WORD(G_FRAME + 8) = GOEXIT + 1;
	go_start();
}

static void go_comes_back_from_the_system_stack(void **state)
{
	system_stack(GO + G_FRAME);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);
}

static void a_goroutine_whose_stack_was_moved_has_its_own_frame_pointer(void **state)
{
	system_stack(GO + 2 * PAGE_BYTES);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);
	system_stack(GO + 2 * PAGE_BYTES);
	GO_WORD(G + 104) = GO + 3 * PAGE_BYTES; /* nor is that in its stack */
	assert_int_equal(walk(), JIT_CODE);
	check_frames(3);
}

static void since_go_1_21_systemstack_has_a_frame(void **state)
{
	system_stack(GO + G_FRAME);
	GO_WORD(G + 96) = GO + G_STACK;
	GO_WORD(G_STACK) = GO + G_FRAME;
	GO_WORD(G_STACK + 8) = CALLER;
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);
}

/* mcall(), and morestack(), with what leads to the call of newstack() */
#define MCALL (JIT + 0x608)
#define MORESTACK (JIT + 0x710)

#define GROWING (JIT + 0x1a5) /* behind a call of it */

/* The same g and m, and a function that was called at @ra. */
static void scheduler(u64 ra)
{
	go_calls(0, ra);
	memcpy(jit_code + 0x1a0, "\xe8\0\5\0\0", 5);
	memcpy(jit_code + 0x601, "\x50\x4c\x8b\x22\x41\xff\xd4\x58\xe9", 9);
	memcpy(jit_code + 0x6c0, "\x48\x8b\x73\x50\x48", 5);
	memcpy(jit_code + 0x707, "\x48\x8b\x63\x38\xe8\1\2\3\4\xe8\1\2\3\4\xc3", 15);
	put64(&im.up, GO + G); /* that is where mcall() puts it */
	memset(go_data, 0, sizeof(go_data));
	GO_WORD(G0 + 48) = GO + THREAD;
	GO_WORD(THREAD) = GO + G0;
	GO_WORD(THREAD + 0xc0) = GO + G;
	GO_WORD(G) = GO + G_STACK;
	GO_WORD(G + 8) = GO + PAGE_BYTES;
	GO_WORD(G + 48) = GO + THREAD;
	GO_WORD(G + 56) = GO + G_STACK;
	GO_WORD(G + 64) = ra == MCALL ? CALLER : GROWING;
	GO_WORD(G + 96) = GO + G_FRAME;
	GO_WORD(G_FRAME + 8) = GOEXIT + 1;
	go_start();
}

static void the_caller_of_the_scheduler_is_known_while_it_works_for_it(void **state)
{
	scheduler(MCALL);
	expect(CALLER, true);
	expect(GOEXIT + 1, true);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);

	scheduler(MCALL);
	GO_WORD(G + 96) = 0; /* before Go 1.25 */
	GO_WORD(G + 104) = GO + G_FRAME;
	expect(CALLER, true);
	expect(GOEXIT + 1, true);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);
}

static void nobody_called_a_scheduler_that_has_put_its_goroutine_aside(void **state)
{
	static const u64 roads[] = {MCALL, MORESTACK};

	for (u32 i = 0; i < COUNT(roads); i++) {
		scheduler(roads[i]);
		GO_WORD(G + 48) = i ? GO + 0x600 : 0; /* another thread has taken it, or none */
		assert_int_equal(walk(), THREAD_START);
		check_frames(3);
	}
	scheduler(MORESTACK);
	GO_WORD(THREAD + 0xc0) = 0;
	assert_int_equal(walk(), THREAD_START);
	check_frames(3);
}

static void a_goroutine_that_is_not_as_it_should_be_is_not_believed(void **state)
{
	static const struct {
		u32 at;
		u64 val;
	} wrong[] = {
		{G0 + 48, GO + 0x600},	   {THREAD, GO + G},	  {G + 56, GO + G_STACK - 8},
		{G + 56, GO + PAGE_BYTES}, {G + 64, JIT + 0x180}, {G + 96, GO + G_STACK - 8},
	};

	for (u32 i = 0; i < COUNT(wrong); i++) {
		scheduler(MCALL);
		GO_WORD(wrong[i].at) = wrong[i].val;
		assert_int_equal(walk(), JIT_CODE);
		check_frames(3);
	}
}

static void a_function_whose_stack_is_too_small_has_no_frame_yet(void **state)
{
	scheduler(MORESTACK);
	expect(GROWING, true);
	GO_WORD(G_STACK) = JIT + 0x97; /* its caller's, ... */
	expect(JIT + 0x97, true);
	expect(GOEXIT + 1, true); /* whose frame pointer is still in use */
	assert_int_equal(walk(), THREAD_START);
	check_frames(6);

	scheduler(MORESTACK); /* the first function of a goroutine */
	GO_WORD(G + 96) = 0;
	GO_WORD(G_STACK) = GOEXIT + 1;
	expect(GROWING, true);
	expect(GOEXIT + 1, true);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);

	scheduler(MORESTACK);
	GO_WORD(G_STACK) = JIT + 0x180; /* no call */
	expect(GROWING, true);
	assert_int_equal(walk(), JIT_CODE);
	check_frames(4);

	scheduler(MORESTACK);
	GO_WORD(G + 64) = CALLER; /* another one, which it is about to go on with */
	assert_int_equal(walk(), THREAD_START);
	check_frames(3);

	scheduler(MORESTACK);
	jit_code[0x707] = 0; /* other code */
	assert_int_equal(walk(), JIT_CODE);
	check_frames(3);
}

/* time.now() on the thread's stack, with a frame on the goroutine's. */
static void calls_vdso(u64 r12)
{
	begin();
	go_code();
	function(0, 2);
	frame(2, JIT + 0x97);
	go_start();
	go_data[16] = 0;
	go_data[17] = GOEXIT + 1;
	w.machine.reg[RBP] = GO + 128;
	w.machine.reg[R12] = r12;
}

static void go_keeps_its_stack_pointer_around_calls_of_the_vdso(void **state)
{
	calls_vdso(GO + 112);
	expect(GOEXIT + 1, true);
	assert_int_equal(walk(), THREAD_START);
	check_frames(3);

	calls_vdso(GO + 104);
	assert_int_equal(walk(), JIT_CODE);
	check_frames(2);
}

/* asmcgocall(), since Go 1.21 and before; cgocallback(), crosscall2() and crosscall1(), behind their calls */
#define ASMCGOCALL (JIT + 0x805)
#define OLD_ASMCGOCALL (JIT + 0x842)
#define CGOCALLBACK (JIT + 0x882)
#define CROSSCALL2 (JIT + 0x8c5)
#define CROSSCALL1 (JIT + 0x902)

enum { LEFT = 0xd00, LEFT_FRAME = 0xd80, CALLBACK = 0xe00, OUTER_CALLBACK = 0xf00, C_FRAME = 0xff0 }; /* in the data */

static void cgo_code(void)
{
	memcpy(jit_code + 0x800, "\xe8\1\2\3\4\x48\x8b\x7c\x24\x08\x48\x8b\x77\x08\x48\x2b\x34\x24\x64\x48\x89", 21);
	memcpy(jit_code + 0x840, "\xff\xd0\x48\x8b\x7c\x24\x10\x48\x8b\x77\x08\x48\x2b\x74\x24\x08\x64\x48", 18);
	memcpy(jit_code + 0x880, "\xff\xd0\x48\x8d\x44\x24\x28\x48\x29\xe0\x64\x48\x8b\x34\x25\xf8\xff\xff", 18);
	memcpy(jit_code + 0x8c0, "\xe8\1\2\3\4\x48\x83\xc4\x18\x48\x8b\x1c\x24\x4c\x8b\x64\x24\x08\x4c\x8b\x6c", 21);
	memcpy(jit_code + 0x900, "\xff\xd3\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3", 13);
	memset(go_data, 0, sizeof(go_data));
	GO_WORD(G0 + 48) = GO + THREAD;
	GO_WORD(THREAD) = GO + G0;
	GO_WORD(G) = GO + G_STACK;
	GO_WORD(G + 8) = GO + PAGE_BYTES;
	GO_WORD(G + 48) = GO + THREAD;
	GO_WORD(LEFT_FRAME + 8) = GO_WORD(C_FRAME + 8) = GOEXIT + 1;
}

/* C that is called at @ra by a goroutine, which was left at @depth. */
static void c_called_by_go(u64 ra, u64 depth)
{
	begin();
	go_code();
	cgo_code();
	function(0, 2);
	frame(2, ra);
	if (ra == ASMCGOCALL) {
		GO_WORD(LEFT) = GO + LEFT_FRAME;
		GO_WORD(LEFT + 8) = CALLER;
	} else {
		put64(&im.up, 0);
		GO_WORD(LEFT) = CALLER;
	}
	put64(&im.up, depth);
	put64(&im.up, GO + G);
	go_start();
	w.machine.reg[RBP] = GO + LEFT_FRAME;
}

static void c_that_go_calls_leads_to_the_goroutine(void **state)
{
	static const u64 calls[] = {ASMCGOCALL, OLD_ASMCGOCALL};

	for (u32 i = 0; i < COUNT(calls); i++) {
		c_called_by_go(calls[i], PAGE_BYTES - LEFT);
		expect(CALLER, true);
		expect(GOEXIT + 1, true);
		assert_int_equal(walk(), THREAD_START);
		check_frames(4);
		c_called_by_go(calls[i], PAGE_BYTES); /* more than its stack has */
		assert_int_equal(walk(), JIT_CODE);
		check_frames(2);
		c_called_by_go(calls[i], PAGE_BYTES - LEFT - 24); /* nothing behind a call is there */
		assert_int_equal(walk(), JIT_CODE);
		check_frames(2);
	}
	c_called_by_go(OLD_ASMCGOCALL, PAGE_BYTES - LEFT);
	w.machine.reg[RBP] = GO + 2 * PAGE_BYTES; /* the stack has moved */
	assert_int_equal(walk(), JIT_CODE);
	check_frames(2);
}

/* What cgocallback() and crosscall2() leave on the thread's stack, for @ra, which has the frame pointer @bp. */
static void callback_frame(u32 at, u64 outer, u64 ra, u64 bp)
{
	GO_WORD(at) = outer;
	GO_WORD(at + 32) = CROSSCALL2;
	GO_WORD(at + 40 + 24 + 40) = GO + at + 40 + 24 + 48;
	GO_WORD(at + 40 + 24 + 48) = bp;
	GO_WORD(at + 40 + 24 + 56) = ra;
}

static void go_called_by_c(void)
{
	begin();
	go_code();
	cgo_code();
	function(0, 2);
	frame(2, CGOCALLBACK);
	GO_WORD(G0 + 56) = GO + CALLBACK;
	callback_frame(CALLBACK, 0, CALLER, GO + C_FRAME);
	go_start();
	w.machine.reg[R14] = GO + G;
}

static void go_that_c_calls_leads_to_the_threads_stack(void **state)
{
	go_called_by_c();
	expect(CROSSCALL2, true);
	expect(CALLER, true);
	expect(GOEXIT + 1, true);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);

	go_called_by_c(); /* before Go 1.21 */
	GO_WORD(CALLBACK + 104) = GO + C_FRAME;
	GO_WORD(CALLBACK + 112) = CALLER;
	expect(CROSSCALL2, true);
	expect(CALLER, true);
	expect(GOEXIT + 1, true);
	assert_int_equal(walk(), THREAD_START);
	check_frames(5);

	go_called_by_c();
	GO_WORD(G0 + 48) = GO + 0x600;
	assert_int_equal(walk(), JIT_CODE);
	check_frames(2);
}

static void calls_within_calls_of_go_and_c_are_distinguished(void **state)
{
	go_called_by_c();
	callback_frame(CALLBACK, GO + OUTER_CALLBACK, ASMCGOCALL, 0);
	GO_WORD(CALLBACK + 128) = PAGE_BYTES - LEFT; /* above crosscall2(): what asmcgocall() has noted */
	GO_WORD(CALLBACK + 136) = GO + G;
	GO_WORD(LEFT) = GO + LEFT_FRAME;
	GO_WORD(LEFT + 8) = CALLER;
	GO_WORD(LEFT_FRAME + 8) = CGOCALLBACK;
	callback_frame(OUTER_CALLBACK, 0, CROSSCALL1, 0);
	GO_WORD(OUTER_CALLBACK + 128 + 48) = 0; /* crosscall1()'s caller: nobody */
	expect(CROSSCALL2, true);
	expect(ASMCGOCALL, true);
	expect(CALLER, true);
	expect(CGOCALLBACK, true);
	expect(CROSSCALL2, true);
	expect(CROSSCALL1, true);
	assert_int_equal(walk(), JIT_CODE);
	check_frames(8);
}

static void a_thread_of_cgo_begins_below_crosscall1(void **state)
{
	begin();
	go_code();
	cgo_code();
	function(0, 2);
	frame(2, CROSSCALL1);
	for (int i = 0; i < 4; i++)
		put64(&im.up, 0);
	put64(&im.up, STACK + 72); /* rbp */
	put64(&im.up, 0x1234);	   /* rbx */
	put64(&im.up, CALLER);
	put64(&im.up, 0);
	put64(&im.up, GOEXIT + 1);
	expect(CALLER, true);
	expect(GOEXIT + 1, true);
	go_start();
	assert_int_equal(walk(), THREAD_START);
	check_frames(4);
}

static void structs_of_go_that_do_not_point_to_each_other_are_not_believed(void **state)
{
	static const u32 links[] = {G0 + 48, THREAD, THREAD + 0xc0, G + 48, G + 56, G_STACK};

	for (u32 i = 0; i < COUNT(links); i++) {
		system_stack(GO + G_FRAME);
		GO_WORD(links[i]) = i & 1 ? 0 : GO + 0x600;
		assert_int_equal(walk(), JIT_CODE);
		check_frames(3);
	}
	system_stack(GO + G_FRAME);
	jit_code[0x302 + 12] = 0x38; /* other code */
	walk();
	assert_true(w.out.nr <= 3 || !is_wanted(3));
}

/*
 * Java's interpreter at JIT: an interpreted method, called by another one, which returns to function 1. @own is what
 * the method noted, @last and @sender what its caller did.
 */
#define RETURN_ENTRY (JIT + 0x640) /* no call before it */
#define CALLEE (STACK + 40)	   /* rbp of the method and of its caller */
#define JAVA_CALLER (CALLEE + 80)

static void interpreter(u64 own, u64 last, u64 sender)
{
	begin();
	memset(jit_code, 0, sizeof(jit_code));
	function(0, 2);
	function(1, 2);
	outermost(2);
	memcpy(jit_code + 0x95, "\xff\xd0", 2);
	frame(2, JIT + 0x97); /* it has called the C function 0 */
	put64(&im.up, 0);     /* two words of the method's own, */
	put64(&im.up, 0);
	put64(&im.up, own);	    /* where its caller's stack ended, */
	put64(&im.up, JAVA_CALLER); /* rbp */
	put64(&im.up, RETURN_ENTRY);
	expect(RETURN_ENTRY, true);
	for (int i = 0; i < 6; i++)
		put64(&im.up, 0);
	put64(&im.up, last);
	put64(&im.up, sender);
	put64(&im.up, STACK + 0x200);
	put64(&im.up, FUNCTION(1) + 9);
	expect(FUNCTION(1) + 9, true);
	im.bytes[FUNCTION(1) + 4 - IMAGE_BASE] = 0xe8;
	frame(2, FUNCTION(2) + 9);
	start(FUNCTION(0));
	w.machine.reg[RBP] = CALLEE;
	port_map(JIT, jit_code, sizeof(jit_code), anon_like);
}

static void a_method_of_javas_interpreter_has_its_caller(void **state)
{
	u64 end = CALLEE + 32, sender = JAVA_CALLER + 16;

	interpreter(end, end, sender);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(5);
	interpreter(end, (end - JAVA_CALLER) / 8 | 7ULL << 61, sender); /* since JDK 21 */
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(5);
	interpreter(0, end, sender); /* a compiled method does not note anything */
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(5);
}

static void what_no_interpreter_notes_is_not_believed(void **state)
{
	u64 end = CALLEE + 32, sender = JAVA_CALLER + 16;
	const struct {
		u64 own, last, sender;
	} wrong[] = {
		{0, 0, sender},
		{CALLEE, CALLEE, sender},
		{JAVA_CALLER, JAVA_CALLER, sender},
		{end + 1, end + 1, sender},
		{end, end, JAVA_CALLER},
		{end, end, sender + 4},
		{end, end, 0},
	};

	for (u32 i = 0; i < COUNT(wrong); i++) {
		interpreter(wrong[i].own, wrong[i].last, wrong[i].sender);
		assert_int_equal(walk(), JIT_CODE);
		check_frames(2);
	}
}

static void what_a_jit_compiler_pushes_is_no_linkers_index(void **state)
{
	begin();
	function(1, 2);
	outermost(2);
	memset(jit_code, 0, sizeof(jit_code));
	memcpy(jit_code + 0x80, "\x68\1\0\0\0\xe9\1\2\3\4", 10); /* push $index; jmp */
	put64(&im.up, 1);
	put64(&im.up, 0);
	put64(&im.up, STACK + 0x100); /* rbp */
	put64(&im.up, FUNCTION(1) + 9);
	expect(FUNCTION(1) + 9, true);
	call_before_return(FUNCTION(1));
	frame(2, FUNCTION(2) + 9);
	start(JIT + 0x85);
	w.machine.reg[RBP] = STACK + 16;
	port_map(JIT, jit_code, sizeof(jit_code), anon_like);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
}

static void jit_code_has_its_caller_before_it_has_a_frame(void **state)
{
	begin();
	function(1, 2);
	outermost(2);
	memcpy(jit_code + 0x80, "\x55\x48\x89\xe5", 4); /* push %rbp; mov %rsp,%rbp */
	put64(&im.up, FUNCTION(1) + 9);
	expect(FUNCTION(1) + 9, true);
	im.bytes[FUNCTION(1) + 4 - IMAGE_BASE] = 0xe8;
	frame(2, FUNCTION(2) + 9);
	start(JIT + 0x80);
	w.machine.reg[RBP] = STACK + 32; /* the caller's */
	port_map(JIT, jit_code, sizeof(jit_code), anon_like);
	assert_int_equal(walk(), UNDEFINED_RA);
	check_frames(3);
	assert_int_equal(w.machine.fp_steps, 0);

	im.bytes[FUNCTION(1) + 4 - IMAGE_BASE] = 0; /* nobody called it */
	image_start(&im, &w, JIT + 0x80);
	assert_int_equal(walk(), JIT_CODE);
	memset(jit_code + 0x80, 0, 4);
}

static void jit_code_without_a_frame_pointer_ends_the_walk(void **state)
{
	jit();
	w.machine.reg[RBP] = 5;
	assert_int_equal(walk(), JIT_CODE);
	check_frames(2);
	jit();
	im.bytes[FUNCTION(1) + 4 - IMAGE_BASE] = 0; /* not after a call */
	assert_int_equal(walk(), JIT_CODE);
	check_frames(2);
}

static void a_pc_outside_all_mappings_ends_the_walk(void **state)
{
	begin();
	function(0, 2);
	frame(2, 0x123456);
	start(FUNCTION(0));
	assert_int_equal(walk(), NO_MAPPING);
	check_frames(2);
}

static void a_zero_for_interrupted_code_may_be_another_word(void **state)
{
	begin();
	function(0, 2);
	frame(2, 0);
	start(FUNCTION(0));
	assert_int_equal(walk(), ZERO_RA);
	check_frames(1);
}

/* As the first function of a coroutine is. */
static void a_function_begun_without_a_return_address_is_outermost(void **state)
{
	begin();
	function(0, 2);
	function(1, 4);
	frame(2, FUNCTION(1) + 9);
	frame(4, 0);
	start(FUNCTION(0));
	assert_int_equal(walk(), FIRST_FUNCTION);
	check_frames(2);
}

/* The walk of one frame, once the byte of the file at @off has become @byte. */
static u32 spoilt(u32 off, u8 byte)
{
	begin();
	function(0, 2);
	frame(2, 0);
	start(FUNCTION(0));
	im.bytes[off] = byte;
	return walk();
}

static void what_is_wrong_with_a_file_is_named(void **state)
{
	u32 cie = 0x3000, fde;

	assert_int_equal(spoilt(0, 0x7f), ZERO_RA); /* as it was */
	fde = im.fde[0] + 0x2000;
	assert_int_equal(spoilt(1, 'X'), NO_ELF);
	assert_int_equal(spoilt(0x2000, 9), NO_EH_FRAME);
	assert_int_equal(spoilt(cie + 8, 7), BAD_CIE);
	assert_int_equal(spoilt(cie + 16, PE_UDATA2), BAD_ENCODING);
	assert_int_equal(spoilt(fde + 17, 0x3f), BAD_CFI);
	check_frames(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_known_stack_is_walked_to_its_end),
		cmocka_unit_test(rows_that_are_known_are_not_read_again),
		cmocka_unit_test(a_row_that_the_stack_has_corrected_is_not_shared),
		cmocka_unit_test(a_return_address_across_words_is_not_simple),
		cmocka_unit_test(a_call_that_ends_its_function_is_looked_up_inside_it),
		cmocka_unit_test(a_stack_that_is_too_deep_keeps_both_its_ends),
		cmocka_unit_test(a_deep_stack_without_its_outer_end_says_why),
		cmocka_unit_test(no_failing_read_makes_a_wrong_frame),
		cmocka_unit_test(a_signal_frame_leads_to_the_interrupted_instruction),
		cmocka_unit_test(a_frame_below_a_signal_frame_may_be_empty),
		cmocka_unit_test(only_a_frame_that_was_interrupted_may_be_empty),
		cmocka_unit_test(a_frame_pointer_chain_of_cfi_needs_the_register_that_was_saved),
		cmocka_unit_test(the_entry_point_needs_no_fde),
		cmocka_unit_test(nobody_called_the_entry_point_whatever_cfi_says),
		cmocka_unit_test(a_stub_without_fde_is_known_by_its_code),
		cmocka_unit_test(a_call_before_the_end_of_a_function_without_fde_is_known_by_that_end),
		cmocka_unit_test(a_leaf_without_a_frame_does_not_hide_its_caller),
		cmocka_unit_test(code_behind_a_routine_that_returns_is_followed),
		cmocka_unit_test(code_behind_a_call_that_may_not_return_is_not_followed),
		cmocka_unit_test(a_guess_that_does_not_lead_behind_a_call_is_not_believed),
		cmocka_unit_test(a_return_address_that_a_uretprobe_took_is_the_true_one),
		cmocka_unit_test(what_has_just_returned_to_a_uretprobe_is_left),
		cmocka_unit_test(a_guess_may_lead_to_what_a_uretprobe_took),
		cmocka_unit_test(a_register_that_a_call_may_change_is_believed_behind_a_call),
		cmocka_unit_test(where_tables_cannot_be_read_no_frame_pointer_is_guessed),
		cmocka_unit_test(a_full_table_of_modules_takes_no_frame_away),
		cmocka_unit_test(a_page_that_is_not_safe_ends_the_walk_and_says_so),
		cmocka_unit_test(a_new_thread_is_complete),
		cmocka_unit_test(the_parent_of_a_new_thread_goes_on_to_its_caller),
		cmocka_unit_test(a_context_that_nobody_called_is_complete),
		cmocka_unit_test(jit_code_is_crossed_by_its_frame_pointer),
		cmocka_unit_test(a_method_of_javas_interpreter_has_its_caller),
		cmocka_unit_test(what_no_interpreter_notes_is_not_believed),
		cmocka_unit_test(a_goroutine_begins_below_goexit),
		cmocka_unit_test(a_thread_of_go_begins_in_its_clone),
		cmocka_unit_test(go_comes_back_from_the_system_stack),
		cmocka_unit_test(a_goroutine_whose_stack_was_moved_has_its_own_frame_pointer),
		cmocka_unit_test(since_go_1_21_systemstack_has_a_frame),
		cmocka_unit_test(the_caller_of_the_scheduler_is_known_while_it_works_for_it),
		cmocka_unit_test(nobody_called_a_scheduler_that_has_put_its_goroutine_aside),
		cmocka_unit_test(a_goroutine_that_is_not_as_it_should_be_is_not_believed),
		cmocka_unit_test(a_function_whose_stack_is_too_small_has_no_frame_yet),
		cmocka_unit_test(go_keeps_its_stack_pointer_around_calls_of_the_vdso),
		cmocka_unit_test(c_that_go_calls_leads_to_the_goroutine),
		cmocka_unit_test(go_that_c_calls_leads_to_the_threads_stack),
		cmocka_unit_test(calls_within_calls_of_go_and_c_are_distinguished),
		cmocka_unit_test(a_thread_of_cgo_begins_below_crosscall1),
		cmocka_unit_test(structs_of_go_that_do_not_point_to_each_other_are_not_believed),
		cmocka_unit_test(what_a_jit_compiler_pushes_is_no_linkers_index),
		cmocka_unit_test(jit_code_has_its_caller_before_it_has_a_frame),
		cmocka_unit_test(jit_code_without_a_frame_pointer_ends_the_walk),
		cmocka_unit_test(a_pc_outside_all_mappings_ends_the_walk),
		cmocka_unit_test(a_zero_for_interrupted_code_may_be_another_word),
		cmocka_unit_test(a_function_begun_without_a_return_address_is_outermost),
		cmocka_unit_test(what_is_wrong_with_a_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
