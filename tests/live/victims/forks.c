/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* main, make_child, fork(): a system call that works for long, for there is much memory; the child is in in_child. */
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "victim.h"

#define BYTES (32 << 20)

volatile unsigned long sink;

KNOWN void in_child(void)
{
	BURN(300000);
}

KNOWN void make_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "child");
		in_child();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(1);
	sink++;
}

int main(void)
{
	void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, BYTES, MADV_NOHUGEPAGE))
		return 1;
	memset(memory, 1, BYTES);
	say_ready();
	for (;;)
		make_child();
}
