/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uring: main, submit, and threads that the kernel makes for it: io_uring's workers, which read and never return to
 * user mode. Both are busy most of the time.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "../../live/victims/victim.h"

#define AT_ONCE 4
#define BYTES (1 << 20)
#define PAGE 4096

volatile unsigned long sink;
static struct io_uring_params params;
static int ring, zeros;
static char *submission, *completion, *buffer;
static struct io_uring_sqe *entries;

static unsigned int *in(char *where, unsigned int offset)
{
	return (unsigned int *)(where + offset);
}

KNOWN void submit(void)
{
	unsigned int *tail = in(submission, params.sq_off.tail), mask = *in(submission, params.sq_off.ring_mask);
	unsigned int *head = in(completion, params.cq_off.head);

	for (int i = 0; i < AT_ONCE; i++) {
		unsigned int at = *tail & mask;

		memset(&entries[at], 0, sizeof(entries[at]));
		entries[at].opcode = IORING_OP_READ;
		entries[at].flags = IOSQE_ASYNC;
		entries[at].fd = zeros;
		entries[at].addr = (unsigned long)buffer + i * BYTES;
		entries[at].len = BYTES;
		in(submission, params.sq_off.array)[at] = at;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	}
	if (syscall(SYS_io_uring_enter, ring, AT_ONCE, AT_ONCE, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		exit(1);
	__atomic_store_n(head, *head + AT_ONCE, __ATOMIC_RELEASE);
	BURN(300000);
}

int main(void)
{
	ring = syscall(SYS_io_uring_setup, AT_ONCE, &params);
	if (ring < 0)
		return 77;
	zeros = open("/dev/zero", O_RDONLY);
	submission = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	completion = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	entries = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	buffer = mmap(NULL, AT_ONCE * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (zeros < 0 || submission == MAP_FAILED || completion == MAP_FAILED || (void *)entries == MAP_FAILED ||
	    buffer == MAP_FAILED)
		return 1;
	submit();
	say_ready();
	for (;;) {
		submit();
		sink++;
	}
}
