/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * restorers NUMBER: work that SIGUSR1 may interrupt anywhere, with code of our own to which its handler returns, as in C
 * libraries other than glibc. The code is one of restorer[]; in 32-bit programs the odd ones are for handlers with
 * information, which have another frame. 0: prints how many there are.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FN __attribute__((noipa))

/* Behind the last instruction of a function, without a gap, and without CFI. */
#define BEHIND(name, code)                                                                                        \
	asm(".text\n.p2align 4\n.type before_" #name ",@function\nbefore_" #name ":\n.cfi_startproc\nret\n"       \
	    ".cfi_endproc\n.size before_" #name ",.-before_" #name "\n.type " #name ",@function\n" #name ":" code \
	    "\n.size " #name ",.-" #name);                                                                        \
	extern void before_##name(void), name(void)

/* Within a function that has CFI, which says nothing of it. */
#define WITHIN(name, code)                                                                                      \
	asm(".text\n.type " #name ",@function\naround_" #name ":\n.cfi_startproc\npush %rax\n"                  \
	    ".cfi_adjust_cfa_offset 8\npop %rax\n.cfi_adjust_cfa_offset -8\nret\n.p2align 4\n" #name ":\n" code \
	    "\n.cfi_endproc\n.size " #name ",.-" #name);                                                        \
	extern void name(void)

#ifdef __x86_64__
BEHIND(eax, "mov $15,%eax\nsyscall");
BEHIND(rax, "mov $15,%rax\nsyscall");
BEHIND(endbr_eax, "endbr64\nmov $15,%eax\nsyscall");
BEHIND(endbr_rax, "endbr64\nmov $15,%rax\nsyscall");
WITHIN(within_eax, "mov $15,%eax\nsyscall");
WITHIN(within_rax, "mov $15,%rax\nsyscall");
static void (*restorer[])(void) = {eax, rax, endbr_eax, endbr_rax, within_eax, within_rax, rax};
static void (*before[])(void) = {before_eax, before_rax, before_endbr_eax, before_endbr_rax};
#else
BEHIND(old, "pop %eax\nmov $119,%eax\nint $0x80");
BEHIND(rt, "mov $173,%eax\nint $0x80");
static void (*restorer[])(void) = {old, rt, old, rt};
static void (*before[])(void) = {before_old, before_rt};
#endif

static volatile long sink;

FN static long leaf(long n)
{
	return n + sink;
}

FN static void handle(int signal)
{
	sink += leaf(signal);
}

FN static long work(long n)
{
	return (n ? work(n - 1) : leaf(n)) + abs((int)sink);
}

/* The last one begins its mapping. */
static void *alone(const void *code)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, code, 16);
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	return page;
}

int main(int argc, char **argv)
{
	int nr = sizeof(restorer) / sizeof(restorer[0]), which = argc > 1 ? atoi(argv[1]) : 0;
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long long mask;
	} act = {handle, 0x04000000 /* SA_RESTORER */, NULL, 0};

	if (which < 1 || which > nr)
		return printf("%d\n", nr) < 0;
	act.restorer = restorer[which - 1];
	if (which + (sizeof(long) == 4) >= nr)
		act.restorer = alone(act.restorer);
	if (sizeof(long) == 4 && which % 2 == 0)
		act.flags |= SA_SIGINFO;
	if (syscall(SYS_rt_sigaction, SIGUSR1, &act, NULL, 8))
		return 1;
	for (volatile int i = 0; i < 20; i++) {
		sink += work(3);
		for (unsigned int j = 0; j < sizeof(before) / sizeof(before[0]); j++)
			before[j]();
	}
	return 0;
}
