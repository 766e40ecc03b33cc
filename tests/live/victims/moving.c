/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* enter, 60 times recurse, work; and a thread that takes the stack outside of work away, and brings it back. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "own_stack.h"

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

int main(void)
{
	return run_on_stack(60, work);
}
