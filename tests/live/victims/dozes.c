/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dozes: for each line of standard input it dozes in two known places, TURNS times in each, makes a child in a third,
 * and says how long it waited at least and at most, in nanoseconds: "rest MIN MAX", "await MIN MAX". A longer sleep
 * than was asked for is the kernel's doing, so the least is what was asked for.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include "victim.h"

#define TURNS 25
#define WAIT_MS 20
#define DEPTH 5

/* A USDT mark, dozes:pass, as <sys/sdt.h> would leave it, whose package not every machine has. */
#define MARK()                                                   \
	asm volatile("990: nop\n"                                \
		     ".pushsection .note.stapsdt, \"\", @note\n" \
		     ".balign 4\n"                               \
		     ".4byte 992f - 991f, 994f - 993f, 3\n"      \
		     "991: .asciz \"stapsdt\"\n"                 \
		     "992: .balign 4\n"                          \
		     "993: .8byte 990b, 0, 0\n"                  \
		     ".asciz \"dozes\", \"pass\", \"\"\n"        \
		     "994: .balign 4\n"                          \
		     ".popsection\n")

volatile unsigned long sink;

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

KNOWN void rest(void)
{
	nanosleep(&(struct timespec){0, WAIT_MS * 1000000L}, NULL);
	MARK();
	sink++;
}

KNOWN void await(void)
{
	sink += poll(NULL, 0, WAIT_MS);
}

KNOWN void beget(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	sink += waitpid(child, NULL, 0);
}

KNOWN void descend(int left, void (*to)(void))
{
	if (left > 1)
		descend(left - 1, to);
	else
		to();
	sink++;
}

KNOWN void measure(const char *name, void (*to)(void))
{
	long long start = now_ns();

	for (int i = 0; i < TURNS; i++)
		descend(DEPTH, to);
	printf("%s %lld %lld\n", name, TURNS * WAIT_MS * 1000000LL, now_ns() - start);
	sink++;
}

KNOWN void work(void)
{
	measure("rest", rest);
	measure("await", await);
	descend(DEPTH, beget);
	printf("done\n");
	fflush(stdout);
}

int main(void)
{
	say_ready();
	for (int c = getchar(); c != EOF; c = getchar())
		if (c == '\n')
			work();
	return 0;
}
