/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* main, call_generated, and a function that is written at run time, keeps frame pointers and is named in
 * /tmp/perf-PID.map. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "victim.h"
#include "victim_code.h"

volatile unsigned long sink;

static const unsigned char code[] = CALLS_ARGUMENT;

KNOWN void burn(void)
{
	BURN(10000000);
}

KNOWN void call_generated(void (*generated)(void (*)(void)))
{
	generated(burn);
	sink++;
}

int main(void)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory + 64, code, sizeof(code));
	__builtin___clear_cache(memory, memory + 4096);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f || fprintf(f, "%lx %zx generated_function\n", (unsigned long)memory + 64, sizeof(code)) < 0 || fclose(f))
		return 1;
	say_ready();
	for (;;)
		call_generated((void (*)(void (*)(void)))(memory + 64));
}
