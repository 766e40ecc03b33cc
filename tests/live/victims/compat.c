/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A 32-bit program without a C library: in user mode, and in system calls. */
static int call(int nr, int a, const void *b, int c)
{
	int ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}

volatile int sink;

void _start(void)
{
	call(4, 1, "ready\n", 6); /* write() */
	for (;;) {
		for (int i = 0; i < 1000; i++)
			sink++;
		call(20, 0, 0, 0); /* getpid() */
	}
}
