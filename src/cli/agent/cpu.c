/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPU time of a recorder, with its children. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/agent/agent.h"

/* utime, stime, and with @ended cutime and cstime of /proc/PID/stat, in clock ticks */
static uint64_t ticks_of(pid_t pid, bool ended)
{
	unsigned long long own[2], children[2];
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64], line[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	at = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &own[0], &own[1],
			  &children[0], &children[1]) != 4)
		return 0;
	return own[0] + own[1] + (ended ? children[0] + children[1] : 0);
}

uint64_t agent_cpu_of(pid_t pid)
{
	uint64_t ticks = ticks_of(pid, true);
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64];
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		ticks += ticks_of(child, false);
	return ticks * (1000000000ULL / sysconf(_SC_CLK_TCK));
}
