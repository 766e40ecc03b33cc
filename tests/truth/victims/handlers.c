/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * handlers own|alternate [no-jump]: work that SIGUSR1 may interrupt anywhere. Its handler runs on the thread's own stack, or on
 * an alternate one; now and then it does not return but jumps, unless it must not.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FN __attribute__((noipa))

static volatile long sink;
static sigjmp_buf back;
static int can_jump;

FN static long leaf(long n)
{
	return n + sink;
}

FN static void handle(int signal)
{
	sink += leaf(signal);
	if (can_jump && sink % 13 == 0)
		siglongjmp(back, 1);
}

FN static long work(long n)
{
	return (n ? work(n - 1) : leaf(n)) + abs((int)sink);
}

int main(int argc, char **argv)
{
	static char room[1 << 16];
	int alternate = argc > 1 && !strcmp(argv[1], "alternate");
	int information = argc > 1 && !strcmp(argv[1], "information"); /* which has another frame in 32-bit programs */
	struct sigaction act = {
		.sa_handler = handle,
		.sa_flags = alternate	  ? SA_ONSTACK
			    : information ? SA_SIGINFO
					  : 0,
	};
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};

	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &act, NULL))
		return 1;
	for (volatile int i = 0; i < 20; i++) {
		sink += work(5);
		if (!sigsetjmp(back, 1)) {
			can_jump = argc < 3;
			sink += work(3);
		}
		can_jump = 0;
		sink += getppid() & 1;
	}
	return 0;
}
