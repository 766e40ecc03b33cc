/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * blocked FILE: main, work; upon SIGUSR1 main, block, and a write() that works for some milliseconds and then waits for
 * ever. If it returns all the same, FILE counts it.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "victim.h"

#define ROOM (16 << 20) /* of the socket, which takes this much before it blocks */

volatile unsigned long sink;
static volatile sig_atomic_t signalled;

static void tell(int signal)
{
	signalled = 1;
}

KNOWN void work(void)
{
	BURN(1000);
}

KNOWN void block(int fd)
{
	static char data[4 * ROOM];

	if (write(fd, data, sizeof(data)) < 0)
		exit(1);
	sink++;
}

int main(int argc, char **argv)
{
	int ends[2], room = ROOM / 2, fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	volatile unsigned long *returned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (returned == MAP_FAILED || signal(SIGUSR1, tell) == SIG_ERR || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
	    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		return 1;
	say_ready();
	while (!signalled)
		work();
	block(ends[0]);
	++*returned;
	for (;;)
		pause();
}
