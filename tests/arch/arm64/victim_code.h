/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code of victims that no compiler writes. */
#pragma once

/* A system call in the caller's own frame, as no function of the C library. */
static inline __attribute__((always_inline)) long call(long nr, long a, const void *b, long c)
{
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x2 __asm__("x2") = c;
	register const void *x1 __asm__("x1") = b;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}

/* A function that keeps a frame pointer, and calls the one that is its first argument. */
#define CALLS_ARGUMENT                                                  \
	{                                                               \
		0xfd, 0x7b, 0xbf, 0xa9, /* stp x29, x30, [sp, #-16]! */ \
		0xfd, 0x03, 0x00, 0x91, /* mov x29, sp */               \
		0x00, 0x00, 0x3f, 0xd6, /* blr x0 */                    \
		0xfd, 0x7b, 0xc1, 0xa8, /* ldp x29, x30, [sp], #16 */   \
		0xc0, 0x03, 0x5f, 0xd6, /* ret */                       \
	}

/* Trampolines of CPython, which call their fourth argument: of 3.12, and of 3.14, which signs its return address. */
#define TRAMPOLINE                                                      \
	{                                                               \
		0xfd, 0x7b, 0xbf, 0xa9, /* stp x29, x30, [sp, #-16]! */ \
		0xfd, 0x03, 0x00, 0x91, /* mov x29, sp */               \
		0x60, 0x00, 0x3f, 0xd6, /* blr x3 */                    \
		0xfd, 0x7b, 0xc1, 0xa8, /* ldp x29, x30, [sp], #16 */   \
		0xc0, 0x03, 0x5f, 0xd6, /* ret */                       \
	}
#define TRAMPOLINE_WITH_FRAME                                           \
	{                                                               \
		0x3f, 0x23, 0x03, 0xd5, /* paciasp */                   \
		0xfd, 0x7b, 0xbf, 0xa9, /* stp x29, x30, [sp, #-16]! */ \
		0xfd, 0x03, 0x00, 0x91, /* mov x29, sp */               \
		0x60, 0x00, 0x3f, 0xd6, /* blr x3 */                    \
		0xfd, 0x7b, 0xc1, 0xa8, /* ldp x29, x30, [sp], #16 */   \
		0xbf, 0x23, 0x03, 0xd5, /* autiasp */                   \
		0xc0, 0x03, 0x5f, 0xd6, /* ret */                       \
	}

#define FOR_EVER "1: add x9, x9, #1\n b 1b\n"

/* In a function that saves its return address: for ever with @value as stack pointer, or added to it. */
#define LOSE_STACK(value) __asm__ volatile("mov sp, %0\n" FOR_EVER : : "r"(value) : "x9", "x30")
#define MOVE_STACK(value) __asm__ volatile("add sp, sp, %0\n" FOR_EVER : : "r"(value) : "x9", "x30")
#define STAY() __asm__ volatile(FOR_EVER : : : "x9")

/* bp(): its CFI finds the caller by the frame pointer, which is what `value` says. chain(): none, and it leads to itself. */
#define BOGUS_FUNCTIONS                                                                                  \
	".text\n.type bp, %function\n.type chain, %function\n"                                           \
	"bp: .cfi_startproc\n"                                                                           \
	"stp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n" \
	"mov x29, sp\n.cfi_def_cfa_register x29\n"                                                       \
	"adrp x9, value\nldr x29, [x9, :lo12:value]\n"                                                   \
	"1: add x9, x9, #1\nb 1b\n"                                                                      \
	".cfi_endproc\n.size bp, . - bp\n"                                                               \
	"chain: bl 2f\n"                                                                                 \
	"2: stp x29, x30, [sp, #-16]!\nmov x29, sp\nstr x29, [x29]\n"                                    \
	"1: add x9, x9, #1\nb 1b\n"                                                                      \
	".size chain, . - chain\n"

/* A loop of @left turns around an instruction, probe_here, that the kernel cannot emulate. */
#define PROBED_LOOP(sink, left)                                                                        \
	__asm__ volatile(".globl probe_here\nprobe_here: ldr x9, %0\n\tadd x9, x9, #1\n\tstr x9, %0\n" \
			 "\tsubs %w1, %w1, #1\n\tb.ne probe_here"                                      \
			 : "+m"(sink), "+r"(left)                                                      \
			 :                                                                             \
			 : "x9", "cc")

/* deep(left): itself by way of 64 copies, each with @cfi, and then exit_group(0). */
#define SAVED "stp x19, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x30, -8\n.cfi_offset x19, -16\n"
#define RESTORED "ldp x19, x30, [sp], #16\n.cfi_def_cfa_offset 0\n.cfi_restore x30\n.cfi_restore x19\n"
#define DEEP(cfi)                                                                           \
	".text\n.balign 16\n.type deep, %function\ndeep:\n"                                 \
	".rept 64\n.cfi_startproc\n" cfi SAVED "subs x0, x0, #1\nb.eq 9f\nbl 1f\n" RESTORED \
	"ret\n.cfi_endproc\n1:\n.endr\n"                                                    \
	".cfi_startproc\n" SAVED "bl deep\n" RESTORED "ret\n"                               \
	"9: mov x8, #94\nmov x0, #0\nsvc #0\n.cfi_endproc\n"

/*
 * straddle: 2000 functions that call their argument, of STRADDLE_BYTES each. Each saves a register, so that its CFA is not that of a guess.
 * Its FDE has six bytes more than it needs, which are 36 then: of 32, none would lie across the end of a page.
 */
#define STRADDLE_BYTES 32
#define STRADDLE                                                                     \
	".text\n.balign 32\n.globl straddle\n.type straddle, %function\nstraddle:\n" \
	".rept 2000\n.cfi_startproc\n" SAVED "mov x19, #1\nblr x0\n" RESTORED        \
	".rept 3\n.cfi_remember_state\n.cfi_restore_state\n.endr\n"                  \
	"ret\n.balign 32\n.cfi_endproc\n.endr\n.size straddle, . - straddle\n"

/* A program at 0x401000 that reads the byte at 0x400000 and one of each page from 0x10000000 to 0x14000000, and exits. */
#define READS_PAGES                                                   \
	{                                                             \
		0x00, 0x08, 0xa0, 0xd2, /* mov x0, #0x400000 */       \
		0x00, 0x00, 0x40, 0x39, /* ldrb w0, [x0] */           \
		0x01, 0x00, 0xa2, 0xd2, /* mov x1, #0x10000000 */     \
		0x02, 0x80, 0xa2, 0xd2, /* mov x2, #0x14000000 */     \
		0x20, 0x00, 0x40, 0x39, /* 1: ldrb w0, [x1] */        \
		0x21, 0x04, 0x40, 0x91, /* add x1, x1, #1, lsl #12 */ \
		0x3f, 0x00, 0x02, 0xeb, /* cmp x1, x2 */              \
		0xa3, 0xff, 0xff, 0x54, /* b.lo 1b */                 \
		0xa8, 0x0b, 0x80, 0xd2, /* mov x8, #93: exit */       \
		0x00, 0x00, 0x80, 0xd2, /* mov x0, #0 */              \
		0x01, 0x00, 0x00, 0xd4, /* svc #0 */                  \
	}
