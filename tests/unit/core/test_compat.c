/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are stacks of 32-bit words walked, and those of x32 refused, which has 64-bit words and short addresses? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include "abi/frame.h"
#include "core/walk/nofault.h"
#include "port/image.h"
#include "port/port_buffer.h"

#define FUNCTION(n) (IMAGE_CODE + 64 * (n))
#define STACK 0xffe00004ULL /* where the first word lies: not at a multiple of eight */
#define STACK_BYTES (4 * PAGE_BYTES)

static struct image im;
static struct walk w;
static u8 stack[STACK_BYTES];
static struct writer up;
static u64 pcs[64];
static u32 nr_pcs;

/* The image's headers as those of ELFCLASS32 for @machine. */
static void narrow_headers(u16 machine)
{
	static const struct {
		u32 type, flags, off, size;
	} segments[] = {
		{PT_LOAD, PF_R, 0, 0x1000},
		{PT_LOAD, PF_R | PF_X, 0x1000, 0x1000},
		{PT_LOAD, PF_R, 0x2000, IMAGE_BYTES - 0x2000},
		{PT_NOTE, PF_R, 0x800, 36},
		{PT_GNU_EH_FRAME, PF_R, 0x2000, 0x1000},
	};
	Elf32_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_entry = 0x1f00,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = COUNT(segments),
	};

	memset(im.bytes, 0, 0x800);
	memcpy(im.bytes, &eh, sizeof(eh));
	for (u32 i = 0; i < COUNT(segments); i++) {
		Elf32_Phdr ph = {
			.p_type = segments[i].type,
			.p_flags = segments[i].flags,
			.p_offset = segments[i].off,
			.p_vaddr = segments[i].off,
			.p_filesz = segments[i].size,
			.p_memsz = segments[i].size,
			.p_align = 4,
		};

		memcpy(im.bytes + sizeof(eh) + i * sizeof(ph), &ph, sizeof(ph));
	}
}

static void image_begins(u16 machine)
{
	port_reset();
	image_init(&im);
	narrow_headers(machine);
	up = (struct writer){.bytes = stack + 4, .addr = STACK, .room = STACK_BYTES - 4};
	memset(stack, 0, sizeof(stack));
	nr_pcs = 0;
}

/* CFA = esp + 4, the return address at CFA - 4. */
static void i386_begins(void)
{
	static const u8 cie[] = {
		0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x7c, 8, 1, 0x1b, 0x0c, 4, 4, 0x88, 1, 0, 0,
	};

	image_begins(EM_386);
	im.cie = here(&im.eh_frame);
	put(&im.eh_frame, cie, sizeof(cie));
}

/* As i386_begins(), but of signal frames. */
static void i386_signals_follow(void)
{
	static const u8 cie[] = {
		0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 'S', 0, 1, 0x7c, 8, 1, 0x1b, 0x0c, 4, 4, 0, 0, 0,
	};

	im.cie = here(&im.eh_frame);
	put(&im.eh_frame, cie, sizeof(cie));
}

static void outermost(u32 n)
{
	image_fde(&im, FUNCTION(n), 64, INSNS(0x07, 8));
}

static void words(u32 nr)
{
	while (nr--)
		put32(&up, 0xdead0000 + nr);
}

/* A return address, into function @n. */
static void returns_to(u32 n)
{
	put32(&up, FUNCTION(n) + 9);
	pcs[nr_pcs++] = FUNCTION(n) + 9;
}

static void start(u64 pc)
{
	image_map(&im);
	port_map(STACK & ~(PAGE_BYTES - 1), stack, STACK_BYTES, (struct vma){0});
	image_start(&im, &w, pc);
	w.machine.reg[RSP] = STACK;
	w.machine.reg[CS] = USER32_CS;
}

/* By walk_stack(), thrice: rows from CFI, learnt, and from the cache. Returns the outcome, each time the same. */
static u32 walk(void)
{
	static struct machine before;
	u32 outcome = 0;

	before = w.machine;
	for (int round = 0; round < 3; round++) {
		memcpy(w.machine.reg, before.reg, sizeof(before.reg));
		w.no_cache = round == 0;
		walk_start(&w);
		walk_stack(&w);
		if (round)
			assert_int_equal(w.outcome, outcome);
		outcome = w.outcome;
		assert_int_equal(w.out.nr, nr_pcs + 1);
		for (u32 i = 0; i < nr_pcs; i++)
			assert_int_equal(frame_offset(w.out.frame[i + 1]), pcs[i] - IMAGE_BASE);
	}
	memcpy(w.machine.reg, before.reg, sizeof(before.reg));
	return outcome;
}

static void three_calls(void)
{
	i386_begins();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 8));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 12));
	image_fde(&im, FUNCTION(2), 64, INSNS(0x0e, 4));
	outermost(3);
	words(1);
	returns_to(1);
	words(2);
	returns_to(2);
	returns_to(3);
	start(FUNCTION(0) + 3);
}

static void a_stack_of_four_byte_words_is_walked_to_its_end(void **state)
{
	three_calls();
	assert_int_equal(walk(), UNDEFINED_RA);
}

static void a_walk_at_once_comes_to_the_same(void **state)
{
	static struct stack out;

	three_calls();
	walk();
	out = w.out;
	assert_int_equal(walk_nofault(&w), 0);
	assert_int_equal(w.out.nr, out.nr);
	assert_memory_equal(w.out.frame, out.frame, out.nr * sizeof(out.frame[0]));
	assert_int_equal(w.trace.base, STACK & ~7ULL);
	assert_true(read_log_is_usable(&w.trace.reads));
	assert_int_equal(w.trace.reads.nr, 3);
}

static void registers_are_numbered_as_on_i386(void **state)
{
	i386_begins();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 16, 0x85, 2, 0x86, 3, 0x87, 4)); /* ebp, esi, edi */
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, 5, 8));			     /* CFA = ebp + 8 */
	image_fde(&im, FUNCTION(2), 64, INSNS(0x0c, 6, 8));			     /* esi */
	image_fde(&im, FUNCTION(3), 64, INSNS(0x0c, 7, 8));			     /* edi */
	outermost(4);
	put32(&up, STACK + 44); /* edi */
	put32(&up, STACK + 32); /* esi */
	put32(&up, STACK + 20); /* ebp */
	returns_to(1);
	words(2);
	returns_to(2);
	words(3);
	returns_to(3);
	words(2);
	returns_to(4);
	fix32(&up, 8, STACK + 20);
	fix32(&up, 4, STACK + 36);
	fix32(&up, 0, STACK + 48);
	start(FUNCTION(0) + 3);
	assert_int_equal(walk(), UNDEFINED_RA);
}

static void those_that_a_callee_saves_stand_where_others_are_looked_for(void **state)
{
	u64 reg[NR_REGS] = {[RSI] = 1, [RDI] = 2, [R12] = 3, [R13] = 4, [CS] = USER32_CS};

	regs_settle(reg);
	assert_int_equal(reg[R12], 1);
	assert_int_equal(reg[R13], 2);
	reg[CS] = 0x33;
	reg[RSI] = 5;
	regs_settle(reg);
	assert_int_equal(reg[R12], 1);
}

/* gcc's main(): the CFA was in ecx, and lies at ebp - 4. */
static void expressions_read_four_bytes_and_count_modulo_2_to_the_32(void **state)
{
	i386_begins();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0f, 3, 0x75, 0x7c, 0x06)); /* CFA = *(ebp - 4) */
	image_fde(&im, FUNCTION(1), 64, /* CFA = esp + 0xfffffff0 + 24: addr, plus, plus_uconst */
		  INSNS(0x0f, 10, 0x74, 0, 0x03, 0xf0, 0xff, 0xff, 0xff, 0x22, 0x23, 24));
	outermost(2);
	put32(&up, STACK + 16);
	put32(&up, 0x12345678);
	words(1);
	returns_to(1);
	words(1);
	returns_to(2);
	start(FUNCTION(0) + 3);
	w.machine.reg[RBP] = STACK + 4;
	assert_int_equal(walk(), UNDEFINED_RA);
}

static void a_cfa_in_ecx_outlives_a_call(void **state)
{
	i386_begins();
	image_fde(&im, FUNCTION(0), 64, INSNS(0));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x0c, 1, 0));
	outermost(2);
	returns_to(1);
	words(5);
	returns_to(2);
	start(FUNCTION(0));
	w.machine.reg[RCX] = here(&up);
	assert_int_equal(walk(), UNDEFINED_RA);
}

/* struct sigcontext_32, of function 2: where it stood, and its registers. */
static void context(void)
{
	words(4);		   /* segments */
	put32(&up, 0);		   /* edi */
	put32(&up, 0);		   /* esi */
	put32(&up, STACK + 0x200); /* ebp */
	put32(&up, STACK + 0x208); /* esp */
	words(6);		   /* ebx, edx, ecx, eax, trapno, err */
	put32(&up, FUNCTION(2) + 9);
	pcs[nr_pcs++] = FUNCTION(2) + 9;
}

static void both_frames_of_signals_have_all_registers(void **state)
{
	for (u32 i = 0; i < 4; i++) {
		u32 before = i & 1 ? 160 : 4; /* bytes of the stack before the context */
		u32 esp = before + 28, eip = before + 56;

		i386_begins();
		image_fde(&im, FUNCTION(2), 64, INSNS(0x0c, 5, 8));
		outermost(3);
		i386_signals_follow();
		if (i & 2) /* since Linux 7: CFA = esp + before, esp at CFA + 28, eip at CFA + 56 */
			image_fde(&im, FUNCTION(4), 64,
				  INSNS(0x0c, 4, 0x80 | (before & 0x7f), before >> 7, 0x11, 4, 0x79, 0x11, 8, 0x72));
		else /* before: CFA = what lies at esp + before + 28, eip at esp + before + 56 */
			image_fde(&im, FUNCTION(4), 64,
				  INSNS(0x0f, 4, 0x74, 0x80 | (esp & 0x7f), esp >> 7, 0x06, 0x10, 8, 3, 0x74,
					0x80 | (eip & 0x7f), eip >> 7));
		words(before / 4);
		context();
		seek(&up, STACK + 0x204);
		returns_to(3);
		start(FUNCTION(4));
		assert_int_equal(walk(), UNDEFINED_RA);
		assert_int_equal(w.machine.signal_frames, 1);
		assert_false(frame_is_return(w.out.frame[1]));
	}
}

static void the_frame_pointer_leads_over_four_byte_words(void **state)
{
	static const u8 call[] = {0xe8, 0, 0, 0, 0};

	i386_begins();
	outermost(1);
	memcpy(im.bytes + 0x1000 + 64 + 4, call, sizeof(call));
	put32(&up, STACK + 0x100);
	returns_to(1);
	start(FUNCTION(3)); /* no FDE */
	w.machine.reg[RBP] = STACK;
	assert_int_equal(walk(), UNDEFINED_RA);
	assert_int_equal(w.machine.fp_steps, 1);
}

/* The caller, by CFI, needs its esp. What points to no copy of the return address is another register's. */
static void a_stack_that_was_aligned_is_left_to_where_it_was(void **state)
{
	static const u8 call[] = {0xe8, 0, 0, 0, 0};

	for (u32 gap = 0; gap <= 2; gap++)
		for (u32 below = 1; below <= 4; below++) {
			i386_begins();
			image_fde(&im, FUNCTION(1), 64, INSNS(0x0e, 12));
			outermost(2);
			memcpy(im.bytes + 0x1000 + 64 + 4, call, sizeof(call));
			words(5);
			put32(&up, STACK + 64); /* ebp */
			returns_to(1);		/* the copy */
			words(gap);
			put32(&up, FUNCTION(1) + 9);
			words(2);
			returns_to(2);
			fix32(&up, 4 * (5 - below), STACK + 32 + 4 * gap);
			start(FUNCTION(3)); /* no FDE */
			w.machine.reg[RBP] = STACK + 20;
			assert_int_equal(walk(), UNDEFINED_RA);
		}
}

static void a_new_thread_and_a_prologue_are_known_by_32_bit_code(void **state)
{
	static const u8 clone[] = {0xcd, 0x80}, prologue[] = {0x55, 0x89, 0xe5}, call[] = {0xe8, 0, 0, 0, 0};

	i386_begins();
	outermost(0);
	memcpy(im.bytes + 0x1000 + 64 * 3 - 2, clone, sizeof(clone));
	start(FUNCTION(3));
	assert_int_equal(walk(), THREAD_START);

	i386_begins();
	outermost(1);
	memcpy(im.bytes + 0x1000 + 64 + 4, call, sizeof(call));
	memcpy(im.bytes + 0x1000 + 64 * 3, prologue, sizeof(prologue));
	words(1);
	returns_to(1);
	start(FUNCTION(3) + 1);
	assert_int_equal(walk(), UNDEFINED_RA);
}

/* As that of glibc's memcpy() does, which has pushed a word. */
static void a_return_address_behind_a_call_overrules_cfi(void **state)
{
	static const u8 call[] = {0xe8, 0, 0, 0, 0};

	i386_begins();
	image_fde(&im, FUNCTION(0), 64, INSNS(0));
	outermost(1);
	memcpy(im.bytes + 0x1000 + 64 + 4, call, sizeof(call));
	words(1);
	returns_to(1);
	start(FUNCTION(0) + 16);
	assert_int_equal(walk(), UNDEFINED_RA);
}

/* Augmentation "zPR", both as absolute addresses, which have four bytes; once with a table, once without. */
static void absolute_addresses_have_four_bytes(void **state)
{
	static const u8 cie[] = {
		0x18, 0, 0, 0, 0,    0,	   0,	 0,    1, 'z',	'P', 'R', 0,	1,
		0x7c, 8, 6, 0, 0x78, 0x56, 0x34, 0x12, 0, 0x0c, 4,   4,	  0x88, 1,
	};

	for (int table = 0; table < 2; table++) {
		i386_begins();
		im.cie = here(&im.eh_frame);
		put(&im.eh_frame, cie, sizeof(cie));
		for (u32 n = 0; n < 2; n++) {
			im.start[im.nr] = FUNCTION(n) - IMAGE_HDR;
			im.fde[im.nr++] = here(&im.eh_frame) - IMAGE_HDR;
			put32(&im.eh_frame, 20);
			put32(&im.eh_frame, here(&im.eh_frame) - im.cie);
			put32(&im.eh_frame, FUNCTION(n));
			put32(&im.eh_frame, 64);
			put_uleb(&im.eh_frame, 0);
			put8(&im.eh_frame, n ? 0x07 : 0);
			put8(&im.eh_frame, n ? 8 : 0);
			put_align(&im.eh_frame, 4);
			put32(&im.eh_frame, 0);
		}
		returns_to(1);
		if (!table)
			((Elf32_Phdr *)(im.bytes + sizeof(Elf32_Ehdr)))[4].p_type = PT_NULL;
		start(FUNCTION(0));
		assert_int_equal(walk(), UNDEFINED_RA);
		assert_int_equal(module_here(&w.modules)->kind, table ? MODULE_ELF : MODULE_SCANNED);
		assert_int_equal(module_here(&w.modules)->class, CLASS_ELF32);
	}
}

static void tables_of_the_other_kind_of_code_are_not_followed(void **state)
{
	three_calls();
	w.machine.reg[CS] = 0x33;
	nr_pcs = 0;
	assert_int_equal(walk(), NO_EH_FRAME);
	w.machine.reg[CS] = USER32_CS; /* the same walker, and the same mappings */
	nr_pcs = 3;
	assert_int_equal(walk(), UNDEFINED_RA);

	port_reset();
	image_init(&im);
	outermost(0);
	nr_pcs = 0;
	start(FUNCTION(0));
	assert_int_equal(walk(), NO_EH_FRAME);
}

static void a_misaligned_stack_is_one_by_its_own_words(void **state)
{
	i386_begins();
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 6));
	start(FUNCTION(0));
	assert_int_equal(walk(), MISALIGNED);
}

/* Its words are those of x86-64, and its file is of ELFCLASS32. */
static void compat__tables_of_x32_are_not_followed(void **state)
{
	image_begins(EM_X86_64);
	image_cie(&im, "zR", INSNS(0x1b), INSNS(0x0c, RSP, 8, 0x90, 1));
	image_fde(&im, FUNCTION(0), 64, INSNS(0x0e, 8));
	image_fde(&im, FUNCTION(1), 64, INSNS(0x07, RIP));
	up.bytes = stack;
	up.addr = STACK;
	put64(&up, FUNCTION(1) + 9);
	start(FUNCTION(0));
	w.machine.reg[CS] = 0x33;
	w.machine.reg[RSP] = STACK;
	assert_int_equal(walk(), NO_EH_FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_of_four_byte_words_is_walked_to_its_end),
		cmocka_unit_test(a_walk_at_once_comes_to_the_same),
		cmocka_unit_test(registers_are_numbered_as_on_i386),
		cmocka_unit_test(those_that_a_callee_saves_stand_where_others_are_looked_for),
		cmocka_unit_test(expressions_read_four_bytes_and_count_modulo_2_to_the_32),
		cmocka_unit_test(a_cfa_in_ecx_outlives_a_call),
		cmocka_unit_test(both_frames_of_signals_have_all_registers),
		cmocka_unit_test(the_frame_pointer_leads_over_four_byte_words),
		cmocka_unit_test(a_stack_that_was_aligned_is_left_to_where_it_was),
		cmocka_unit_test(a_new_thread_and_a_prologue_are_known_by_32_bit_code),
		cmocka_unit_test(a_return_address_behind_a_call_overrules_cfi),
		cmocka_unit_test(absolute_addresses_have_four_bytes),
		cmocka_unit_test(tables_of_the_other_kind_of_code_are_not_followed),
		cmocka_unit_test(a_misaligned_stack_is_one_by_its_own_words),
		cmocka_unit_test(compat__tables_of_x32_are_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
