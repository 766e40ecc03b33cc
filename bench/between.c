/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long does a tool hold up each switch of tasks, while the run-queue lock is held?
 *
 *	between
 *
 * Says "first"; the tool is attached; at a line of standard input says "second", and takes the time in between at each
 * switch, until standard input ends. Prints how many switches there were, and of the last two million of them the
 *median, the 99th percentile and the longest, in nanoseconds. Without a tool: what the clock itself takes.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <bpf/libbpf.h>
#include "abi/types.h"
#include "between.h"
#include "between.skel.h"

static int by_value(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void attach(struct bpf_program *prog, struct bpf_link **ret)
{
	*ret = bpf_program__attach(prog);
	if (!*ret)
		err(1, "cannot attach to sched_switch");
	puts(bpf_program__name(prog));
}

int main(int argc, char **argv)
{
	struct between *skel = between__open_and_load();
	unsigned long nr;
	char line[64];

	if (!skel)
		err(1, "cannot load");
	setvbuf(stdout, NULL, _IOLBF, 0);
	attach(skel->progs.first, &skel->links.first);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	attach(skel->progs.second, &skel->links.second);
	while (fgets(line, sizeof(line), stdin))
		;
	bpf_link__destroy(skel->links.second); /* first: it needs the other one */
	skel->links.second = NULL;
	between__detach(skel);
	nr = skel->bss->nr_times < BETWEEN_TIMES ? skel->bss->nr_times : BETWEEN_TIMES;
	if (!nr)
		errx(1, "there was no switch");
	qsort(skel->bss->times, nr, sizeof(skel->bss->times[0]), by_value);
	printf("%llu %u %u %u\n", skel->bss->nr_times, skel->bss->times[nr / 2], skel->bss->times[nr * 99 / 100],
	       skel->bss->times[nr - 1]);
	between__destroy(skel);
	return 0;
}
