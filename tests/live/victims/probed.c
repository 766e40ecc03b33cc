/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * probed: main, outer, probed: a loop around an instruction that has a uprobe, and that the kernel cannot emulate but runs from
 * a copy. probed returns: main, recurse four times, burn, with uretprobes of recurse and burn. The program sets the probes
 * itself, and is done with them when it ends.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "victim.h"
#include "victim_code.h"

volatile unsigned long sink;
extern const char probe_here[];

KNOWN void probed(void)
{
	int left = 1000;

	/* A loop of its own: the compiler may write one of C's more than once, and with it the label. */
	PROBED_LOOP(sink, left);
}

KNOWN void outer(void)
{
	for (;;) {
		probed();
		sink++;
	}
}

KNOWN void burn(void)
{
	for (volatile int i = 0; i < 100000; i++)
		sink++;
}

KNOWN void recurse(int left)
{
	if (left)
		recurse(left - 1);
	else
		burn();
	sink++;
}

/* Where in its file is what is mapped at @addr? */
static unsigned long file_offset(unsigned long addr)
{
	unsigned long start, end, offset;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && addr >= start && addr < end)
			return addr - start + offset;
	exit(1);
}

static unsigned int uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	unsigned int type;

	if (!f || fscanf(f, "%u", &type) != 1)
		exit(1);
	return type;
}

/* Set a probe at @place, or if @returns, a uretprobe. */
static void probe(unsigned long place, int returns)
{
	static char self[4096];
	struct perf_event_attr attr = {.size = sizeof(attr), .type = uprobe_type(), .config = returns};

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		exit(1);
	attr.config1 = (unsigned long)self;
	attr.config2 = file_offset(place);
	if (syscall(SYS_perf_event_open, &attr, getpid(), -1, -1, 0) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		probe((unsigned long)recurse, 1);
		probe((unsigned long)burn, 1);
		say_ready();
		for (;;)
			recurse(3);
	}
	probe((unsigned long)probe_here, 0);
	say_ready();
	outer();
	return sink;
}
