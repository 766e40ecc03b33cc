/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * squeezed ROUNDS MIB: main, enter, 60 times recurse, work; which sends the stack outside of itself to the swap, writes
 * to so much memory, and counts its rounds in the file ROUNDS. In a cgroup that may have less, it is at the limit all
 * the time.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include "../../live/victims/victim.h"

#define STACK_BYTES (1 << 20)
#define PAGE 4096L

volatile unsigned long sink;
static volatile unsigned long *rounds;
static char *stack, *memory;
static long bytes;

KNOWN void evict(unsigned long above)
{
	unsigned long start = (above + 2 * PAGE) & -PAGE;

	madvise((void *)start, (unsigned long)stack + STACK_BYTES - start, MADV_PAGEOUT);
	for (long i = 0; i < bytes; i += PAGE)
		memory[i]++;
	sink++;
}

KNOWN void work(void)
{
	char here;

	evict((unsigned long)&here);
	say_ready();
	for (;;) {
		evict((unsigned long)&here);
		BURN(1000000);
		++*rounds;
	}
}

KNOWN void recurse(int left)
{
	volatile char room[1000];

	room[0] = left;
	if (left > 1)
		recurse(left - 1);
	else
		work();
	sink += room[0];
}

KNOWN void enter(void)
{
	recurse(60);
	sink++;
}

int main(int argc, char **argv)
{
	static ucontext_t context, outside;
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0)
		return 1;
	bytes = atol(argv[2]) << 20;
	rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rounds == MAP_FAILED || memory == MAP_FAILED || stack == MAP_FAILED || getcontext(&context))
		return 1;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = &outside;
	makecontext(&context, enter, 0);
	return swapcontext(&outside, &context);
}
