/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code of victims that no compiler writes. */
#pragma once

/* A system call in the caller's own frame, as no function of the C library. */
static inline __attribute__((always_inline)) long call(long nr, long a, const void *b, long c)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}

/* A function that keeps a frame pointer, and calls the one that is its first argument. */
#define CALLS_ARGUMENT                                                 \
	{                                                              \
		0x55,			      /* push %rbp */          \
		0x48, 0x89, 0xe5,	      /* mov %rsp,%rbp */      \
		0x48, 0x8d, 0x64, 0x24, 0xf0, /* lea -16(%rsp),%rsp */ \
		0xff, 0xd7,		      /* call *%rdi */         \
		0xc9, 0xc3,		      /* leave, ret */         \
	}

/* Trampolines of CPython, which call their fourth argument: of 3.12 and 3.13, and of builds with frame pointers. */
#define TRAMPOLINE                                     \
	{                                              \
		0x48, 0x83, 0xec, 8, /* sub $8,%rsp */ \
		0xff, 0xd1,	     /* call *%rcx */  \
		0x48, 0x83, 0xc4, 8, /* add $8,%rsp */ \
		0xc3,		     /* ret */         \
	}
#define TRAMPOLINE_WITH_FRAME                         \
	{                                             \
		0x55,		  /* push %rbp */     \
		0x48, 0x89, 0xe5, /* mov %rsp,%rbp */ \
		0xff, 0xd1,	  /* call *%rcx */    \
		0x5d, 0xc3,	  /* pop %rbp, ret */ \
	}

#define FOR_EVER "1: incq sink(%%rip)\n jmp 1b\n"

/* In a function that has saved its return address: for ever with @value as stack pointer, or added to it. */
#define LOSE_STACK(value) __asm__ volatile("mov %0, %%rsp\n" FOR_EVER : : "r"(value))
#define MOVE_STACK(value) __asm__ volatile("add %0, %%rsp\n" FOR_EVER : : "r"(value))
#define STAY() __asm__ volatile(FOR_EVER : :)

/* bp(): its CFI finds the caller by the frame pointer, which is what `value` says. chain(): none, and it leads to itself. */
#define BOGUS_FUNCTIONS                                              \
	".text\n.type bp, @function\n.type chain, @function\n"       \
	"bp: .cfi_startproc\n"                                       \
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n" \
	"mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"               \
	"mov value(%rip), %rbp\n"                                    \
	"1: incq sink(%rip)\njmp 1b\n"                               \
	".cfi_endproc\n.size bp, . - bp\n"                           \
	"chain: call 2f\n"                                           \
	"2: push %rbp\nmov %rsp, %rbp\nmov %rsp, (%rsp)\n"           \
	"1: incq sink(%rip)\njmp 1b\n"                               \
	".size chain, . - chain\n"

/* A loop of @left turns around an instruction, probe_here, that the kernel cannot emulate. */
#define PROBED_LOOP(sink, left)                                                                    \
	__asm__ volatile(".globl probe_here\nprobe_here: addq $1, %0\n\tdecl %1\n\tjnz probe_here" \
			 : "+m"(sink), "+r"(left))

/* deep(left): itself by way of 64 copies, each with @cfi, and then exit_group(0). */
#define DEEP(cfi)                                                                                              \
	".text\n.balign 16\n.type deep, @function\ndeep:\n"                                                    \
	".rept 64\n.cfi_startproc\n" cfi "push %rbx\n.cfi_def_cfa_offset 16\n"                                 \
	"dec %rdi\njz 9f\ncall 1f\npop %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n1:\n.endr\n"            \
	".cfi_startproc\npush %rbx\n.cfi_def_cfa_offset 16\ncall deep\npop %rbx\n.cfi_def_cfa_offset 8\nret\n" \
	"9: mov $231, %eax\nxor %edi, %edi\nsyscall\n.cfi_endproc\n"

/* straddle: 2000 functions that call their argument, of STRADDLE_BYTES each. Each saves a register, so that its CFA is not that of a guess. */
#define STRADDLE_BYTES 16
#define STRADDLE                                                                                                      \
	".text\n.balign 16\n.globl straddle\n.type straddle, @function\nstraddle:\n"                                  \
	".rept 2000\n.cfi_startproc\npush %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset rbx, -16\n"                       \
	"mov $1, %ebx\ncall *%rdi\n.balign 4, 0x90\npop %rbx\n.cfi_def_cfa_offset 8\nret\n.balign 16\n.cfi_endproc\n" \
	".endr\n.size straddle, . - straddle\n"

/* A program at 0x401000 that reads the byte at 0x400000 and one of each page from 0x10000000 to 0x14000000, and exits. */
#define READS_PAGES                                                                               \
	{                                                                                         \
		0x8a, 0x04, 0x25, 0,	0,    0x40, 0,	  /* mov 0x400000,%al */                  \
		0xbb, 0,    0,	  0,	0x10,		  /* mov $0x10000000,%ebx */              \
		0x8a, 0x03,				  /* 1: mov (%rbx),%al */                 \
		0x81, 0xc3, 0,	  0x10, 0,    0,	  /* add $4096,%ebx */                    \
		0x81, 0xfb, 0,	  0,	0,    0x14,	  /* cmp $0x14000000,%ebx */              \
		0x72, 0xf0,				  /* jb 1b */                             \
		0xb8, 0x3c, 0,	  0,	0,    0x31, 0xff, /* mov $60,%eax; xor %edi,%edi: exit */ \
		0x0f, 0x05,				  /* syscall */                           \
	}
