/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Single-stepping programs of x86-64 and i386: see truth/step.c. */
#pragma once
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include "core/arch/regs.h"
#include "truth/shadow.h"

#define STEP_RULES "src/arch/x86_64/core/arch/rules.txt"

/* Read memory of the program that is stepped. False: it is not there. */
typedef bool (*step_read_fn)(void *dst, size_t len, uint64_t addr);

/* System calls: of x86-64, and of i386. */
struct step_calls {
	long rt_sigreturn, sigreturn, rt_sigaction, sigaction, mmap, munmap, mprotect, mremap, brk;
};

/* The registers, also of a 32-bit program; *@r is changed when they are written. Return 0 or -1, as ptrace(2). */
static inline long step_read_registers(pid_t pid, struct user_regs_struct *r)
{
	return ptrace(PTRACE_GETREGS, pid, NULL, r);
}

static inline long step_write_registers(pid_t pid, struct user_regs_struct *r)
{
	return ptrace(PTRACE_SETREGS, pid, NULL, r);
}

static inline bool step_is_narrow(const struct user_regs_struct *r)
{
	return r->cs == USER32_CS;
}

static inline uint32_t step_word_bytes(const struct user_regs_struct *r)
{
	return step_is_narrow(r) ? 4 : 8;
}

static inline uint64_t step_pc(const struct user_regs_struct *r)
{
	return r->rip;
}

static inline uint64_t step_sp(const struct user_regs_struct *r)
{
	return r->rsp;
}

static inline const struct step_calls *step_calls(const struct user_regs_struct *r)
{
	static const struct step_calls wide = {15, -1, 13, -1, 9, 11, 10, 25, 12},
				       narrow = {173, 119, 174, 67, 192, 91, 125, 163, 45};

	return step_is_narrow(r) ? &narrow : &wide;
}

/* The number of the system call that is about to be made, and its first argument. */
static inline long step_call(const struct user_regs_struct *r, uint64_t *argument)
{
	*argument = step_is_narrow(r) ? r->rbx : r->rdi;
	return r->rax;
}

/* Where an interrupt finds the program in the system call that is about to be made. */
static inline void step_enter_call(struct user_regs_struct *r)
{
	r->rip += 2;
	r->rcx = r->rip;
	r->rax = -ENOSYS;
}

static inline bool step_is_prefix(uint8_t byte)
{
	return byte == 0x64 || byte == 0x65 || /* %fs, %gs */
	       byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e || byte == 0x3e || byte == 0x67 ||
	       (byte & 0xf0) == 0x40;
}

/* What does the instruction do whose first bytes are @code, 16 of them? */
static inline enum shadow_kind step_kind(const uint8_t *code)
{
	int i = 0;

	while (i < 8 && step_is_prefix(code[i]))
		i++;
	if (code[i] == 0xe8)
		return SHADOW_CALL;
	if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2)
		return SHADOW_CALL;
	if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 4)
		return SHADOW_JUMP;
	if (code[i] == 0x0f && (code[i + 1] == 0x05 || code[i + 1] == 0x34))
		return SHADOW_SYSCALL;
	if (code[i] == 0xcd && code[i + 1] == 0x80)
		return SHADOW_SYSCALL;
	if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
		return SHADOW_JUMP;
	if (code[i] == 0xc2 || code[i] == 0xc3)
		return SHADOW_RETURN;
	if (code[i] == 0xe9 || code[i] == 0xeb || (code[i] & 0xf0) == 0x70)
		return SHADOW_JUMP;
	return SHADOW_OTHER;
}

/* A call has been executed. False: it was not made; else the return address, and where it lies. */
static inline bool step_called(const struct user_regs_struct *before, const struct user_regs_struct *r,
			       step_read_fn read, uint64_t *pc, uint64_t *slot)
{
	*pc = 0;
	*slot = r->rsp;
	return r->rsp == before->rsp - step_word_bytes(r) && read(pc, step_word_bytes(r), r->rsp);
}

/* The kernel's frames of signals, as they are when the handler is entered: distances from the stack pointer. */
struct step_signal_frame {
	uint8_t restorer_code[13], len; /* what the handler returns to */
	uint32_t ip, sp;
};

enum { UC_RSP = 8 + 40 + 8 * 15, UC_RIP = UC_RSP + 8, OF_64_BITS = 4 };

/* A handler has just been entered. False: it was not, the signal was ignored. */
static inline bool step_signal(const struct user_regs_struct *r, step_read_fn read, struct shadow_signal *ret)
{
	static const struct step_signal_frame frames[] = {
		{{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, 9, UC_RIP, UC_RSP},
		{{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}, 7, UC_RIP, UC_RSP},
		{{0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}, 13, UC_RIP, UC_RSP},
		{{0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05}, 11, UC_RIP, UC_RSP},
		{{0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80}, 8, 8 + 56, 8 + 28}, /* sigreturn() of i386 */
		{{0xb8, 0xad, 0, 0, 0, 0xcd, 0x80},
		 7,
		 16 + 128 + 20 + 56,
		 16 + 128 + 20 + 28}, /* rt_sigreturn() of i386 */
	};
	uint32_t bytes = step_word_bytes(r), narrow = step_is_narrow(r);
	uint32_t first = narrow ? OF_64_BITS : 0, nr = narrow ? sizeof(frames) / sizeof(frames[0]) : OF_64_BITS;
	uint8_t code[sizeof(frames->restorer_code)];

	*ret = (struct shadow_signal){.slot = r->rsp};
	if (!read(&ret->restorer, bytes, r->rsp))
		return false;
	for (uint32_t i = first; i < nr; i++)
		if (read(code, frames[i].len, ret->restorer) && !memcmp(code, frames[i].restorer_code, frames[i].len))
			return read(&ret->pc, bytes, r->rsp + frames[i].ip) &&
			       read(&ret->sp, bytes, r->rsp + frames[i].sp);
	return false;
}

#define STEP_BREAKPOINT 0xccL
#define STEP_BREAKPOINT_MASK 0xffL

#define STEP_MAX_ENDS 1

/* Instructions from here on that no stop may come between: there are none. */
static inline size_t step_indivisible(const struct user_regs_struct *r, step_read_fn read, uint64_t *ends)
{
	return 0;
}

/* The program has come to the breakpoint: is it that at @addr? Then go back before it. */
static inline bool step_is_at(struct user_regs_struct *r, uint64_t addr)
{
	bool is = r->rip == addr + 1;

	r->rip = addr;
	return is;
}
