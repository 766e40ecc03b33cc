/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* longcall FILE: main, fill, and system calls of a tenth of a second, in which the task works. It counts them in FILE.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include "victim.h"

#define PIECES 512
#define BYTES 65536

volatile unsigned long sink;
static char buffer[BYTES];

KNOWN void fill(int fd)
{
	static struct iovec piece[PIECES];

	for (int i = 0; i < PIECES; i++)
		piece[i] = (struct iovec){buffer, BYTES};
	if (readv(fd, piece, PIECES) != PIECES * BYTES)
		exit(1);
	sink++;
}

int main(int argc, char **argv)
{
	int random = open("/dev/urandom", O_RDONLY), fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	volatile unsigned long *calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (random < 0 || calls == MAP_FAILED)
		return 1;
	say_ready();
	for (;;) {
		fill(random);
		++*calls;
	}
}
