/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * workers uring|terminal: lets the kernel's threads work: main, submit, and io_uring's worker reads; or main, type, and
 * a kworker carries what is written on a terminal to its other end.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <termios.h>
#include "victim.h"

volatile unsigned long sink;
static char buffer[1 << 14];
static struct io_uring_params params;
static struct io_uring_sqe *entry;
static char *ring;
static int uring, fd;

#define AT(offset) ((volatile unsigned int *)(ring + (offset)))

/* One read at a time: it is submitted, done by a worker, and taken. */
KNOWN void submit(void)
{
	unsigned int mask = *AT(params.sq_off.ring_mask), tail = *AT(params.sq_off.tail);

	memset(&entry[tail & mask], 0, sizeof(*entry));
	entry[tail & mask] = (struct io_uring_sqe){.opcode = IORING_OP_READ,
						   .flags = IOSQE_ASYNC,
						   .fd = fd,
						   .addr = (unsigned long)buffer,
						   .len = sizeof(buffer),
						   .off = -1};
	AT(params.sq_off.array)[tail & mask] = tail & mask;
	__atomic_store_n(AT(params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, uring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		exit(1);
	__atomic_store_n(AT(params.cq_off.head), *AT(params.cq_off.tail), __ATOMIC_RELEASE);
	sink++;
}

static void work_by_uring(void)
{
	fd = open("/dev/urandom", O_RDONLY);
	uring = syscall(SYS_io_uring_setup, 4, &params);
	if (fd < 0 || uring < 0 || !(params.features & IORING_FEAT_SINGLE_MMAP))
		exit(1);
	ring = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, uring, IORING_OFF_SQ_RING);
	entry = mmap(NULL, 4 * sizeof(*entry), PROT_READ | PROT_WRITE, MAP_SHARED, uring, IORING_OFF_SQES);
	if (ring == MAP_FAILED || entry == MAP_FAILED)
		exit(1);
	say_ready();
	for (;;)
		submit();
}

KNOWN void type(int slave, int master)
{
	for (long left = 2048; left > 0;) {
		if (write(slave, buffer, 256) != 256)
			exit(1);
		left -= read(master, buffer, sizeof(buffer));
	}
	sink++;
}

static void work_by_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios raw;

	if (master < 0 || grantpt(master) || unlockpt(master))
		exit(1);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &raw))
		exit(1);
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	say_ready();
	for (;;)
		type(slave, master);
}

int main(int argc, char **argv)
{
	if (!strcmp(argv[1], "uring"))
		work_by_uring();
	work_by_terminal();
}
