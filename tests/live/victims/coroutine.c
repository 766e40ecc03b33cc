/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Work on a stack of its own, whose first function was begun without a return address. usage: coroutine MILLISECONDS */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static char stack[1 << 20] __attribute__((aligned(16)));
static volatile uint64_t sink;
static uint64_t end_ns;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

__attribute__((noinline)) static void spin(void)
{
	for (uint64_t i = 0; i < 200000; i++)
		sink = sink * 6364136223846793005ULL + 1;
}

__attribute__((noinline)) static void middle(void)
{
	spin();
	sink++;
}

__attribute__((noinline, noreturn, used)) static void first(void)
{
	while (now_ns() < end_ns)
		middle();
	_Exit(0);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	end_ns = now_ns() + strtoull(argv[1], NULL, 10) * 1000000;
#ifdef __x86_64__
	__asm__ volatile("mov %0, %%rsp\n\tpush $0\n\tjmp *%1" : : "r"(stack + sizeof(stack)), "r"(first) : "memory");
#else
	__asm__ volatile("mov sp, %0\n\tmov x29, #0\n\tmov x30, #0\n\tbr %1"
			 :
			 : "r"(stack + sizeof(stack)), "r"(first)
			 : "memory");
#endif
	return 0;
}
