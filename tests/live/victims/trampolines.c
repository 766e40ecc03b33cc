/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Trampolines as CPython makes them for `-X perf`, in memory without a file: main, run, py::outer, evaluate_outer,
 * py::inner, evaluate_inner. The outer one is that of CPython 3.12 and 3.13, the inner one that of builds with frame
 * pointers; the evaluators have none, and keep values in registers that callees save. They are named in
 * /tmp/perf-PID.map.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "victim.h"

typedef long evaluator(void *thread, void *frame, int throws);
typedef long trampoline(void *thread, void *frame, int throws, evaluator *eval);

volatile unsigned long sink;
static trampoline *outer, *inner;

static const unsigned char plain[] = {
	0x48, 0x83, 0xec, 8, /* sub $8,%rsp */
	0xff, 0xd1,	     /* call *%rcx */
	0x48, 0x83, 0xc4, 8, /* add $8,%rsp */
	0xc3,		     /* ret */
};
static const unsigned char with_frame[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
	0xff, 0xd1,	  /* call *%rcx */
	0x5d,		  /* pop %rbp */
	0xc3,		  /* ret */
};

/* Little work, so that much of the time goes to the trampolines' own instructions. */
KNOWN long evaluate_inner(void *thread, void *frame, int throws)
{
	BURN(2);
	return throws;
}

KNOWN long evaluate_outer(void *thread, void *frame, int throws)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += inner(thread, frame, throws + i, evaluate_inner);
	sink += sum;
	return sum;
}

KNOWN void run(void)
{
	for (int i = 0; i < 1000; i++)
		sink += outer(NULL, NULL, i, evaluate_outer);
	sink++;
}

int main(void)
{
	char *memory = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	if (memory == MAP_FAILED || munmap(memory, 4096))
		return 1;
	outer = memcpy(memory + 4096, plain, sizeof(plain)); /* nothing can be read before the first one */
	inner = memcpy(memory + 4096 + 128, with_frame, sizeof(with_frame));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f || fprintf(f, "%lx b py::outer\n%lx 8 py::inner\n", (unsigned long)outer, (unsigned long)inner) < 0 ||
	    fclose(f))
		return 1;
	say_ready();
	for (;;)
		run();
}
