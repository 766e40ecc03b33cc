/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * withheld FILE [asleep]: enter, 60 times recurse, work, on a stack of which all but the innermost pages are gone,
 * and belong to a userfaultfd that no process reads: a thread that touches them sleeps for ever. work counts its rounds in FILE, or
 * sleeps.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "own_stack.h"

static volatile unsigned long *rounds;
static int faults;
static bool asleep;

KNOWN void withhold(unsigned long above)
{
	unsigned long start = (above + 2 * PAGE) & -PAGE, end = (unsigned long)stack + STACK_BYTES;
	struct uffdio_register range = {.range = {start, end - start}, .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (ioctl(faults, UFFDIO_REGISTER, &range) || madvise((void *)start, end - start, MADV_DONTNEED))
		exit(1);
}

KNOWN void work(void)
{
	char here;

	withhold((unsigned long)&here);
	say_ready();
	for (;;) {
		if (asleep)
			pause();
		BURN(100000);
		++*rounds;
	}
}

int main(int argc, char **argv)
{
	struct uffdio_api api = {.api = UFFD_API};
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;

	asleep = argc > 2;
	rounds = fd >= 0 ? mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
	faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (rounds == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api))
		return 1;
	return run_on_stack(60, work);
}
