/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Single-stepping programs of arm64: see truth/step.c. */
#pragma once
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include "core/arch/regs.h"
#include "truth/shadow.h"

#define STEP_RULES "src/arch/arm64/core/arch/rules.txt"

/* Read memory of the program that is stepped. False: it is not there. */
typedef bool (*step_read_fn)(void *dst, size_t len, uint64_t addr);

/* System calls; what there is not has -1. */
struct step_calls {
	long rt_sigreturn, sigreturn, rt_sigaction, sigaction, mmap, munmap, mprotect, mremap, brk;
};

/* The registers. Return 0 or -1, as ptrace(2). */
static inline long step_read_registers(pid_t pid, struct user_regs_struct *r)
{
	struct iovec io = {r, sizeof(*r)};

	return ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io);
}

static inline long step_write_registers(pid_t pid, struct user_regs_struct *r)
{
	struct iovec io = {r, sizeof(*r)};

	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &io);
}

static inline uint32_t step_word_bytes(const struct user_regs_struct *r)
{
	return 8;
}

static inline uint64_t step_pc(const struct user_regs_struct *r)
{
	return r->pc;
}

static inline uint64_t step_sp(const struct user_regs_struct *r)
{
	return r->sp;
}

static inline const struct step_calls *step_calls(const struct user_regs_struct *r)
{
	static const struct step_calls calls = {139, -1, 134, -1, 222, 215, 226, 216, 214};

	return &calls;
}

/* The number of the system call that is about to be made, and its first argument. */
static inline long step_call(const struct user_regs_struct *r, uint64_t *argument)
{
	*argument = r->regs[0];
	return r->regs[8];
}

/* Where an interrupt finds the program in the system call that is about to be made. */
static inline void step_enter_call(struct user_regs_struct *r)
{
	r->pc += 4;
}

/* What does the instruction @code do (Arm ARM C4.1, branches)? A jump by x30 is a return. */
static inline enum shadow_kind step_kind(const uint8_t *code)
{
	uint32_t i;

	memcpy(&i, code, sizeof(i));
	if ((i & 0xfc000000) == 0x94000000 || (i & 0xfffffc1f) == 0xd63f0000 || (i & 0xfefff800) == 0xd63f0800)
		return SHADOW_CALL; /* bl, blr, blraa and so on */
	if (i == 0xd61f03c0 || (i & 0xfffffc1f) == 0xd65f0000 || (i & 0xfffffbff) == 0xd65f0bff)
		return SHADOW_RETURN; /* br x30, ret, retaa, retab */
	if ((i & 0xfffffc1f) == 0xd61f0000 || (i & 0xfefff800) == 0xd61f0800)
		return SHADOW_JUMP; /* br, braa and so on */
	if ((i & 0xfc000000) == 0x14000000 || (i & 0xff000000) == 0x54000000 || (i & 0x7c000000) == 0x34000000)
		return SHADOW_JUMP; /* b, b.cond, cbz, cbnz, tbz, tbnz */
	return (i & 0xffe0001f) == 0xd4000001 ? SHADOW_SYSCALL : SHADOW_OTHER;
}

/* A call has been executed: the return address is in x30, and no place on the stack. */
static inline bool step_called(const struct user_regs_struct *before, const struct user_regs_struct *r,
			       step_read_fn read, uint64_t *pc, uint64_t *slot)
{
	*pc = before->pc + 4;
	*slot = r->sp;
	return true;
}

/*
 * A handler has just been entered. False: it was not, the signal was ignored. linux arch/arm64/kernel/signal.c, struct
 * rt_sigframe: siginfo, ucontext, and in that sigcontext with regs, sp and pc.
 */
static inline bool step_signal(const struct user_regs_struct *r, step_read_fn read, struct shadow_signal *ret)
{
	static const uint32_t restorer_code[] = {0xd2801168, 0xd4000001}; /* mov x8, #139; svc #0 */
	uint8_t code[sizeof(restorer_code)];

	*ret = (struct shadow_signal){.restorer = r->regs[30], .slot = r->sp};
	return read(code, sizeof(code), ret->restorer) && !memcmp(code, restorer_code, sizeof(code)) &&
	       read(&ret->sp, 8, r->sp + 560) && read(&ret->pc, 8, r->sp + 568);
}

#define STEP_BREAKPOINT 0xd4200000L /* brk #0 */
#define STEP_BREAKPOINT_MASK 0xffffffffL

#define STEP_MAX_ENDS 4
#define STEP_MAX_PAIR 16 /* instructions from an exclusive load up to the store */

/* An exclusive load or store, of one register or two (Arm ARM C4.1, loads and stores). */
static inline bool step_is_exclusive(uint32_t i, bool load)
{
	return (i & 0x3fe00000) == (load ? 0x08400000 : 0x08000000) ||
	       (i & 0xbfe00000) == (load ? 0x88600000 : 0x88200000);
}

/* Where the conditional branch @i at @pc leads to, or 0. */
static inline uint64_t step_branch(uint32_t i, uint64_t pc)
{
	if ((i & 0xff000010) == 0x54000000 || (i & 0x7e000000) == 0x34000000)
		return pc + ((int32_t)(i << 8) >> 13) * 4;				 /* b.cond, cbz, cbnz */
	return (i & 0x7e000000) == 0x36000000 ? pc + ((int32_t)(i << 13) >> 18) * 4 : 0; /* tbz, tbnz */
}

/*
 * Instructions from here on that no stop may come between, an exclusive load up to the store, which would never succeed: write
 * the places where they are over, and return how many. 0: there are none.
 */
static inline size_t step_indivisible(const struct user_regs_struct *r, step_read_fn read, uint64_t *ends)
{
	uint32_t code[STEP_MAX_PAIR];
	size_t nr = 0, len = 1;

	if (!read(code, sizeof(code), r->pc) || !step_is_exclusive(code[0], true))
		return 0;
	while (len < STEP_MAX_PAIR && !step_is_exclusive(code[len], false))
		len++;
	if (len == STEP_MAX_PAIR)
		return 0;
	ends[nr++] = r->pc + (len + 1) * 4;
	for (size_t i = 1; i < len && nr < STEP_MAX_ENDS; i++) {
		uint64_t to = step_branch(code[i], r->pc + i * 4);

		if (to && (to < r->pc || to >= ends[0]))
			ends[nr++] = to;
	}
	return nr;
}

/* The program has come to the breakpoint: is it that at @addr? */
static inline bool step_is_at(struct user_regs_struct *r, uint64_t addr)
{
	return r->pc == addr;
}
