/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * compat: a 32-bit program in system calls, by both ways into the kernel: main, 10 times recurse, and then work_by_vdso
 * or work_by_interrupt, which call getppid() again and again, and nap_by_vdso and nap_by_interrupt, which sleep.
 */
#include <sys/syscall.h>
#include <time.h>
#include "victim.h"

#define CALLS 500
#define NAP_NS 2000000

volatile unsigned long sink;

/* What libc does: call __kernel_vsyscall, which the kernel names in the auxiliary vector, and libc at %gs:16. */
static inline int by_vdso(int nr, const void *a, const void *b)
{
	int ret;

	__asm__ volatile("call *%%gs:16" : "=a"(ret) : "0"(nr), "b"(a), "c"(b) : "memory");
	return ret;
}

static inline int by_interrupt(int nr, const void *a, const void *b)
{
	int ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(a), "c"(b) : "memory");
	return ret;
}

static const struct timespec nap = {0, NAP_NS};

KNOWN void work_by_vdso(void)
{
	for (int i = 0; i < CALLS; i++)
		sink += by_vdso(SYS_getppid, 0, 0);
}

KNOWN void work_by_interrupt(void)
{
	for (int i = 0; i < CALLS; i++)
		sink += by_interrupt(SYS_getppid, 0, 0);
}

KNOWN void nap_by_vdso(void)
{
	sink += by_vdso(SYS_nanosleep, &nap, 0);
}

KNOWN void nap_by_interrupt(void)
{
	sink += by_interrupt(SYS_nanosleep, &nap, 0);
}

KNOWN void recurse(long left, void (*to)(void))
{
	if (left > 1)
		recurse(left - 1, to);
	else
		to();
	sink += left;
}

int main(void)
{
	say_ready();
	for (;;) {
		recurse(10, work_by_vdso);
		recurse(10, work_by_interrupt);
		recurse(10, nap_by_vdso);
		recurse(10, nap_by_interrupt);
	}
}
