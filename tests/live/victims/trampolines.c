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
#include "victim_code.h"

typedef long evaluator(void *thread, void *frame, int throws);
typedef long trampoline(void *thread, void *frame, int throws, evaluator *eval);

volatile unsigned long sink;
static trampoline *outer, *inner;

static const unsigned char plain[] = TRAMPOLINE;
static const unsigned char with_frame[] = TRAMPOLINE_WITH_FRAME;

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
	__builtin___clear_cache(memory + 4096, memory + 2 * 4096);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f ||
	    fprintf(f, "%lx %zx py::outer\n%lx %zx py::inner\n", (unsigned long)outer, sizeof(plain),
		    (unsigned long)inner, sizeof(with_frame)) < 0 ||
	    fclose(f))
		return 1;
	say_ready();
	for (;;)
		run();
}
