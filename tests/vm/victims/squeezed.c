/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * squeezed ROUNDS MIB: main, enter, 60 times recurse, work; which sends the stack outside of itself to the swap, writes
 * to so much memory, and counts its rounds in the file ROUNDS. In a cgroup that may have less, it is at the limit all
 * the time.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include "../../live/victims/own_stack.h"

static volatile unsigned long *rounds;
static char *memory;
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

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0)
		return 1;
	bytes = atol(argv[2]) << 20;
	rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rounds == MAP_FAILED || memory == MAP_FAILED)
		return 1;
	return run_on_stack(60, work);
}
