/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* enter, 60 times recurse, work; and a thread that takes the stack outside of work away, and brings it back. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include "victim.h"

#define STACK_BYTES (1 << 20)
#define PAGE 4096UL

volatile unsigned long sink;
static char *stack;

static void *move(void *above)
{
	unsigned long start = ((unsigned long)above + 2 * PAGE) & -PAGE,
		      bytes = (unsigned long)stack + STACK_BYTES - start;
	void *away = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	prctl(PR_SET_NAME, "mover");
	for (;;) {
		if (mremap((void *)start, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, away) == MAP_FAILED)
			exit(1);
		BURN(50000);
		if (mremap(away, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) == MAP_FAILED)
			exit(1);
		BURN(50000);
	}
	return NULL;
}

KNOWN void work(void)
{
	pthread_t thread;
	char here;

	if (pthread_create(&thread, NULL, move, &here))
		exit(1);
	say_ready();
	for (;;)
		BURN(1000000);
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

int main(void)
{
	static ucontext_t context, outside;

	stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED || getcontext(&context))
		return 1;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = &outside;
	makecontext(&context, enter, 0);
	return swapcontext(&outside, &context);
}
