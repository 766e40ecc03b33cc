/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The CPU time of a recorder, with its children. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/agent/agent.h"

/* utime and stime of /proc/PID/stat, in clock ticks; with @ended cutime and cstime, too */
static uint64_t ticks(pid_t pid, bool ended)
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

static uint64_t own_ticks(pid_t pid)
{
	return ticks(pid, false);
}

uint64_t agent_cpu_of(pid_t pid)
{
	return (ticks(pid, true) + agent_sum_children(pid, own_ticks)) * (1000000000ULL / sysconf(_SC_CLK_TCK));
}
