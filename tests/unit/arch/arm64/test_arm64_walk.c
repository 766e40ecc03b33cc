/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does a walk follow what arm64 has of its own: a return address in x30, its authentication code, leaf functions, the
 * kernel's signal frame, prologues and PLTs by their code, and frame records?
 */
#include "program.h"

static void a_function_that_saved_nothing_returns_by_x30(void **state)
{
	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0));
	function(1, 2);
	outermost(2);
	put64(&im.up, 1);
	put64(&im.up, RETURN(2));
	start(FUNCTION(0) + 4, RETURN(1));
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(3, (u64[]){FUNCTION(0) + 4, RETURN(1), RETURN(2)});
}

static void no_caller_has_its_return_address_in_x30(void **state)
{
	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 16));
	put64(&im.up, 1);
	put64(&im.up, RETURN(1));
	put64(&im.up, 1);
	put64(&im.up, 1);
	start(FUNCTION(0) + 4, RETURN(1));
	walk_stack(&w);
	assert_int_equal(w.outcome, BAD_RA_RULE);
	assert_int_equal(w.out.nr, 2);
}

static void authentication_codes_are_removed(void **state)
{
	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x2d)); /* DW_CFA_AARCH64_negate_ra_state */
	image_fde(&im, FUNCTION(1), 64, INSNS(0x41, 0x2d, 0x0e, 16, 0x80 | X29, 2, 0x80 | X30, 1));
	image_fde(&im, FUNCTION(2), 64, INSNS(0x2c, 0x2b, 1, 0, 0x0e, 16, 0x80 | X30, 1));
	outermost(3);
	put64(&im.up, 1);
	put64(&im.up, RETURN(2) | PAC);
	put64(&im.up, 1);
	put64(&im.up, RETURN(3) | PAC << 1);
	start(FUNCTION(0) + 4, RETURN(1) | PAC);
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(4, (u64[]){FUNCTION(0) + 4, RETURN(1), RETURN(2), RETURN(3)});
}

static void all_registers_that_a_callee_saves_are_followed(void **state)
{
	u64 far = STACK + 512;

	begin();
	image_fde(&im, FUNCTION(0), 64,
		  INSNS(0x0e, 96, 0x80 | X30, 11, 0x80 | X29, 12, 0x80 | X19, 10, 0x80 | X20, 9, 0x80 | X27, 2,
			0x80 | X28, 1));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, X28, 16, 0x80 | X30, 1));
	outermost(2);
	for (u32 i = 0; i < 12; i++)
		put64(&im.up, i == 1 ? RETURN(1) : i == 11 ? far : i);
	while (here(&im.up) < far)
		put64(&im.up, 0);
	put64(&im.up, 0);
	put64(&im.up, RETURN(2));
	start(FUNCTION(0) + 4, 0);
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(3, (u64[]){FUNCTION(0) + 4, RETURN(1), RETURN(2)});
}

/* Registers beyond, as those of vectors, are in CFI, but rows do not follow them. */
static void vector_registers_are_passed_over(void **state)
{
	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 32, 0x80 | X30, 3, 0x05, 72, 1, 0x05, 73, 2, 0x05, 34, 2));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, 72, 0)); /* nobody has a CFA by v8 */
	put64(&im.up, 1);
	put64(&im.up, RETURN(1));
	put64(&im.up, 1);
	put64(&im.up, 1);
	start(FUNCTION(0) + 4, 0);
	walk_stack(&w);
	assert_int_equal(w.out.nr, 2);
	assert_int_equal(w.outcome, CFA_REGISTER_LOST);
}

/* An expression that names a register that is always lost has no value, not that of the PC. */
static void x18_is_not_the_pc(void **state)
{
	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0f, 2, 0x70 + X18, 0));
	start(FUNCTION(0) + 4, 0);
	walk_stack(&w);
	assert_int_equal(w.outcome, CFA_REGISTER_LOST);
	assert_int_equal(w.out.nr, 1);
}

/* The same stack by a no-fault walk, once the rows are cached. */
static void leaves_are_simple_frames_too(void **state)
{
	struct stack slow;

	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0));
	function(1, 2);
	outermost(2);
	put64(&im.up, 1);
	put64(&im.up, RETURN(2) | PAC);
	start(FUNCTION(0) + 4, RETURN(1) | PAC);
	w.no_cache = 0;
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	slow = w.out;
	w.machine.reg[REG_PC] = FUNCTION(0) + 4;
	w.machine.reg[SP] = STACK;
	w.machine.reg[X30] = RETURN(1) | PAC;
	assert_int_equal(walk_nofault(&w), 0);
	assert_int_equal(w.out.nr, slow.nr);
	assert_memory_equal(w.out.frame, slow.frame, slow.nr * sizeof(u64));
	assert_int_equal(w.trace.used, 1u << X30);
}

/* A handler of function 0 returns to the trampoline, which has no CFI; a leaf was interrupted. */
static void signal(bool has_cfi, bool has_tables)
{
	static u8 vdso[PAGE_BYTES];
	u64 frame, trampoline = has_tables ? BARE + 4 : IMAGE_BASE + (64 << 20) + 260;

	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0));
	function(2, 2);
	outermost(3);
	CODE(BARE, 0xd503201f, 0xd2801168, 0xd4000001); /* nop; mov x8,#139; svc #0 */
	if (has_cfi) { /* as bionic's, whose rules are not those of the kernel's frame */
		image_cie(&im, "zRS", INSNS(0x1b), INSNS(0x0c, SP, 0));
		image_fde(&im, BARE, 64, INSNS(0x80 | X30, 5));
	}
	put64(&im.up, 1);
	memcpy(vdso + 256, im.bytes + (BARE - IMAGE_BASE), 12);
	if (!has_tables)
		port_map(trampoline - 260, vdso, sizeof(vdso), (struct vma){.executable = 1});
	put64(&im.up, trampoline);
	frame = here(&im.up);
	while (here(&im.up) < frame + 4096)
		put64(&im.up, 0x5000);
	im.stack[(frame + 552 - STACK) / 8] = RETURN(2); /* x30 */
	im.stack[(frame + 560 - STACK) / 8] = frame + 2048;
	im.stack[(frame + 568 - STACK) / 8] = FUNCTION(1) + 4;
	im.stack[(frame + 2048 + 8 - STACK) / 8] = RETURN(3);
	start(FUNCTION(0) + 4, 0);
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_int_equal(w.out.nr, 5);
	assert_int_equal(w.machine.signal_frames, 1);
	if (has_tables)
		assert_int_equal(frame_place(w.out.frame[1]), image_frame(&w, BARE + 4, false));
	assert_int_equal(frame_place(w.out.frame[2]), image_frame(&w, FUNCTION(1) + 4, false));
	assert_int_equal(frame_place(w.out.frame[3]), image_frame(&w, RETURN(2), true));
	assert_int_equal(frame_place(w.out.frame[4]), image_frame(&w, RETURN(3), true));
}

static void signal_frames_are_known_by_the_code_that_handlers_return_to(void **state)
{
	signal(false, true);
	signal(false, false); /* as in the vDSO */
}

static void signal_frames_are_the_kernels_whatever_cfi_says(void **state)
{
	signal(true, true);
}

/* Walk from @pc, in code without CFI, where @words words lie on top of what function 1 has. */
static u32 walk_bare(u64 pc, u64 lr, u32 words)
{
	for (u32 i = 0; i < words; i++)
		put64(&im.up, 0x77);
	put64(&im.up, 1);
	put64(&im.up, RETURN(2));
	start(pc, lr);
	walk_stack(&w);
	return w.outcome;
}

static void begin_bare(void)
{
	begin();
	function(1, 2);
	outermost(2);
}

static void assert_bare(u64 pc, u32 words, u32 rule)
{
	assert_int_equal(walk_bare(pc, RETURN(1), words), UNDEFINED_RA);
	assert_frames(3, (u64[]){pc, RETURN(1), RETURN(2)});
	assert_int_equal(w.machine.rule, rule);
}

static void prologues_are_known_by_their_code(void **state)
{
	static const u32 code[] = {0xd503233f, 0xa9bd7bfd, 0xf90013f5, 0x910003fd, 0xd65f03c0};
	static const struct {
		u32 at, words, rule;
	} places[] = {{0, 0, RULE_PACIASP}, {1, 0, RULE_STP_FP}, {2, 6, RULE_PROLOGUE}, {3, 6, RULE_PROLOGUE}};

	for (u32 i = 0; i < COUNT(places); i++) { /* paciasp; stp x29,x30,[sp,#-48]!; str x21; mov x29,sp */
		begin_bare();
		put_code(BARE, code, COUNT(code));
		assert_bare(BARE + 4 * places[i].at, places[i].words, places[i].rule);
	}
	for (u32 i = 0; i < 3; i++) { /* sub sp,sp,#64; stp x29,x30,[sp,#48]; add x29,sp,#48 */
		begin_bare();
		CODE(BARE, 0xd10103ff, 0xa9037bfd, 0x9100c3fd);
		assert_bare(BARE + 4 * i, i ? 8 : 0, i ? RULE_PROLOGUE : RULE_SUB_STP_FP);
	}
	begin_bare();
	CODE(BARE, 0xf81e0ffe, 0xf81f83fd, 0xd10023fd); /* Go: str x30,[sp,#-32]!; stur x29,[sp,#-8]; sub x29,sp,#8 */
	assert_bare(BARE + 4, 4, RULE_PROLOGUE);
}

/* When x29 and x30 are those of the caller again, and sp not yet. */
static void epilogues_are_known_by_their_code(void **state)
{
	begin_bare();
	CODE(BARE, 0x910203ff, 0xd65f03c0); /* add sp,sp,#128; ret */
	assert_bare(BARE, 16, RULE_EPILOGUE);
	begin_bare();
	CODE(BARE, 0x910103ff, 0xd50323bf, 0xd65f03c0); /* add sp,sp,#64; autiasp; ret */
	assert_bare(BARE, 8, RULE_EPILOGUE);
	begin_bare();
	CODE(BARE, 0x910043ff, 0xd65f0fff); /* add sp,sp,#16; retab */
	assert_bare(BARE, 2, RULE_EPILOGUE);
	begin_bare();
	CODE(BARE, 0x910043ff, 0x94000010, 0xd65f03c0); /* add sp,sp,#16; bl: not its end */
	assert_int_not_equal(walk_bare(BARE, RETURN(1), 2), UNDEFINED_RA);
}

static void at_a_return_the_return_address_is_in_x30(void **state)
{
	static const u32 code[][2] = {{0xd65f03c0, 0}, {0xd50323bf, 0xd65f03c0}, {0xd65f0bff, 0}};
	static const u32 rules[] = {RULE_RET, RULE_AUTIASP_RET, RULE_RETAA};

	for (u32 i = 0; i < COUNT(code); i++) {
		begin_bare();
		put_code(BARE, code[i], 2);
		assert_bare(BARE, 0, rules[i]);
	}
}

static void stubs_of_a_plt_have_no_frame(void **state)
{
	/* plt0: stp x16,x30,[sp,#-16]!; adrp x16; ldr x17; add x16; br x17; nop. A stub: the same, without the stp */
	static const u32 code[] = {0xa9bf7bf0, 0xb0000090, 0xf947fe11, 0x913fe210, 0xd61f0220,
				   0xd503201f, 0xb0000090, 0xf9400211, 0x91000210, 0xd61f0220};

	for (u32 i = 0; i < 5; i++) {
		begin_bare();
		put_code(BARE, code, COUNT(code));
		assert_bare(BARE + 4 * i, i ? 2 : 0, RULE_PLT);
	}
	for (u32 i = 6; i < COUNT(code); i++) {
		begin_bare();
		put_code(BARE, code, COUNT(code));
		assert_bare(BARE + 4 * i, 0, RULE_PLT);
	}
}

/* _dl_runtime_resolve() and what it calls: CFI has the return address above the CFA, two words too low. */
static void what_plt0_has_put_on_the_stack_is_skipped(void **state)
{
	begin();
	function(0, 2);
	image_fde(&im, FUNCTION(1), 64, INSNS(0x11, X30, 0x7f, 0x0e, 32, 0x80 | X29, 4)); /* x30: at CFA + 8 */
	function(2, 2);
	outermost(3);
	put64(&im.up, 1);
	put64(&im.up, RETURN(1));
	for (u32 i = 0; i < 5; i++)
		put64(&im.up, i); /* of the resolver, and the GOT's entry */
	put64(&im.up, RETURN(2));
	put64(&im.up, 1);
	put64(&im.up, RETURN(3));
	start(FUNCTION(0) + 4, 0);
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(4, (u64[]){FUNCTION(0) + 4, RETURN(1), RETURN(2), RETURN(3)});
	assert_int_equal(frame_method(w.out.frame[1]), BY_CODE);
}

/* At its first instruction, bti or nop, CFI has the return address in x30 still, and the CFA two words too low, too. */
static void the_resolver_is_entered_with_what_plt0_has_put_on_the_stack(void **state)
{
	begin();
	image_fde(&im, FUNCTION(1), 64, INSNS(0));
	CODE(FUNCTION(1), 0xd503245f, 0xa9b327e8); /* bti c; stp x8,x9,[sp,#-208]! */
	function(2, 2);
	outermost(3);
	put64(&im.up, 0x77);
	put64(&im.up, RETURN(2));
	put64(&im.up, 1);
	put64(&im.up, RETURN(3));
	start(FUNCTION(1), RETURN(2));
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(3, (u64[]){FUNCTION(1), RETURN(2), RETURN(3)});
}

/* As in _init(): x30 leads to the PC itself, behind a call that has returned, and not to the caller. */
static void behind_a_call_the_frame_record_has_the_caller(void **state)
{
	begin_bare();
	CODE(BARE, 0x97fffff0, 0xa8c17bfd, 0xd65f03c0); /* bl; ldp x29,x30,[sp],#16; ret */
	put64(&im.up, STACK + 16);
	put64(&im.up, RETURN(1));
	put64(&im.up, 1);
	put64(&im.up, RETURN(2));
	start(BARE + 4, BARE + 4);
	w.machine.reg[X29] = STACK;
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(3, (u64[]){BARE + 4, RETURN(1), RETURN(2)});
}

/* What is in x30 behind a call is not what the function was entered with: none of the rules is true there. */
static void behind_a_call_no_rule_for_x30_holds(void **state)
{
	begin();
	image_fde(&im, FUNCTION(0), 64, INSNS(0));
	CODE(BARE, 0xd63f0000, 0xd65f03c0); /* blr x0; ret */
	start(FUNCTION(0) + 4, BARE + 4);
	w.machine.reg[X29] = 0;
	walk_stack(&w);
	assert_int_equal(w.out.nr, 2);
	assert_int_equal(w.outcome, NO_FDE);
}

static void frame_records_lead_behind_calls(void **state)
{
	begin_bare();
	CODE(BARE, 0xd503201f, 0xd503201f);
	put64(&im.up, 7);
	put64(&im.up, 7);
	put64(&im.up, STACK + 32);
	put64(&im.up, RETURN(1) | PAC);
	put64(&im.up, 1);
	put64(&im.up, RETURN(2));
	start(BARE + 4, 0);
	w.machine.reg[X29] = STACK + 16;
	walk_stack(&w);
	assert_int_equal(w.outcome, UNDEFINED_RA);
	assert_frames(3, (u64[]){BARE + 4, RETURN(1), RETURN(2)});

	begin_bare();
	put64(&im.up, STACK + 64);
	put64(&im.up, FUNCTION(1) + 32); /* no call before it */
	start(BARE + 4, 0);
	w.machine.reg[X29] = STACK;
	walk_stack(&w);
	assert_int_equal(w.outcome, NO_FDE);
	assert_int_equal(w.out.nr, 1);
}

/*
 * A frame record may lie anywhere in its frame. Behind one, where the stack pointer is not known, a function's row says
 * by which distance from its own record; or the walk ends.
 */
static void behind_a_frame_record_the_next_one_is_found_by_it(void **state)
{
	for (u32 has_record = 0; has_record < 2; has_record++) {
		begin();
		CODE(BARE, 0xd503201f, 0xd503201f);
		if (has_record)
			function(1, 4);
		else
			image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 32, 0x80 | X30, 3));
		outermost(2);
		put64(&im.up, STACK + 80);
		put64(&im.up, RETURN(1));
		while (here(&im.up) < STACK + 80)
			put64(&im.up, 0x99); /* of the frame, above its record */
		put64(&im.up, 1);
		put64(&im.up, RETURN(2));
		put64(&im.up, 1);
		put64(&im.up, 1);
		start(BARE + 4, 0);
		w.machine.reg[X29] = STACK;
		walk_stack(&w);
		assert_int_equal(w.outcome, has_record ? UNDEFINED_RA : CFA_REGISTER_LOST);
		assert_int_equal(w.out.nr, has_record ? 3 : 2);
	}
}

/* A function without a frame, in code without CFI: who has called it is in x30, and the frame record is its caller's. */
static void a_leaf_is_known_by_the_call_that_leads_to_it(void **state)
{
	u64 caller = BARE + 0x100;

	begin_bare();
	CODE(BARE, 0xd503201f, 0xd503201f, 0xd65f03c0);
	CODE(caller - 4, 0x97ffffc1); /* bl BARE */
	put64(&im.up, STACK + 16);
	put64(&im.up, RETURN(1));
	put64(&im.up, 1);
	put64(&im.up, RETURN(2));
	start(BARE + 4, caller);
	w.machine.reg[X29] = STACK;
	walk_stack(&w);
	assert_int_equal(w.out.nr, 4);
	assert_frames(4, (u64[]){BARE + 4, caller, RETURN(1), RETURN(2)});
	assert_int_equal(w.outcome, UNDEFINED_RA);
}

/* As in the vDSO, which has no CFI, and which is called by pointers, from far away. */
/* From a leaf at @far. */
static void leave_leaf(u64 far)
{
	static const u32 leaf[] = {0xb4000520, 0x10fdd163, 0xb9400065},
			 with_locals[] = {0xd10083ff, 0xb9400065, 0xb9400065};
	static u8 vdso[PAGE_BYTES];

	for (u32 pushes = 0; pushes < 2; pushes++) {
		begin_bare();
		memcpy(vdso + 256, pushes ? with_locals : leaf, sizeof(leaf));
		port_map(far, vdso, sizeof(vdso), (struct vma){.executable = 1});
		put64(&im.up, STACK + 64);
		put64(&im.up, RETURN(2)); /* of the frame of function 1 */
		start(far + 264, RETURN(1));
		w.machine.reg[X29] = STACK;
		walk_stack(&w);
		assert_int_equal(w.out.nr, pushes ? 2 : 3);
		assert_int_equal(w.outcome, UNDEFINED_RA);
	}
}

static void a_leaf_is_known_by_a_caller_that_is_far_away(void **state)
{
	leave_leaf(IMAGE_BASE + (64 << 20));
}

/* The vDSO is close to programs that are static and position-independent. */
static void a_leaf_is_known_by_a_caller_in_another_mapping(void **state)
{
	leave_leaf(IMAGE_BASE + (1 << 19));
}

/* clone() returns 0 to a new thread, behind the system call, where there is no CFI. */
static void a_thread_begins_behind_clone(void **state)
{
	static const u64 calls[] = {220, 435, 64};

	for (u32 i = 0; i < COUNT(calls); i++) {
		begin_bare();
		CODE(BARE, 0xd4000001, 0xf100001f);
		start(BARE + 4, 0);
		w.machine.reg[X0] = 0;
		w.machine.reg[X8] = calls[i];
		walk_stack(&w);
		assert_int_equal(w.outcome == THREAD_START, i < 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_that_saved_nothing_returns_by_x30),
		cmocka_unit_test(no_caller_has_its_return_address_in_x30),
		cmocka_unit_test(authentication_codes_are_removed),
		cmocka_unit_test(all_registers_that_a_callee_saves_are_followed),
		cmocka_unit_test(vector_registers_are_passed_over),
		cmocka_unit_test(x18_is_not_the_pc),
		cmocka_unit_test(leaves_are_simple_frames_too),
		cmocka_unit_test(signal_frames_are_known_by_the_code_that_handlers_return_to),
		cmocka_unit_test(signal_frames_are_the_kernels_whatever_cfi_says),
		cmocka_unit_test(prologues_are_known_by_their_code),
		cmocka_unit_test(epilogues_are_known_by_their_code),
		cmocka_unit_test(at_a_return_the_return_address_is_in_x30),
		cmocka_unit_test(stubs_of_a_plt_have_no_frame),
		cmocka_unit_test(what_plt0_has_put_on_the_stack_is_skipped),
		cmocka_unit_test(the_resolver_is_entered_with_what_plt0_has_put_on_the_stack),
		cmocka_unit_test(behind_a_call_the_frame_record_has_the_caller),
		cmocka_unit_test(behind_a_call_no_rule_for_x30_holds),
		cmocka_unit_test(frame_records_lead_behind_calls),
		cmocka_unit_test(behind_a_frame_record_the_next_one_is_found_by_it),
		cmocka_unit_test(a_leaf_is_known_by_the_call_that_leads_to_it),
		cmocka_unit_test(a_leaf_is_known_by_a_caller_that_is_far_away),
		cmocka_unit_test(a_leaf_is_known_by_a_caller_in_another_mapping),
		cmocka_unit_test(a_thread_begins_behind_clone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
