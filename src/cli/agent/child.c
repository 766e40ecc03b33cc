/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Start another dusk, as a child of the agent; and look at the children of a process.
 *
 * It is to get a signal when the agent dies. The kernel forgets that at execve() of a file with capabilities, such as our own may be, so
 * the child asks for it before and after.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/agent/agent.h"
#include "cli/cmdline/helper.h"

#define PARENT "DUSK_PARENT" /* "PID SIGNAL", in the environment of the child */

/* Returns whether the parent is still there. */
static bool end_with(pid_t parent, int death_signal)
{
	prctl(PR_SET_PDEATHSIG, death_signal);
	return getppid() == parent;
}

bool agent_child_begin(void)
{
	const char *text = getenv(PARENT);
	int parent, death_signal;

	if (!text || sscanf(text, "%d %d", &parent, &death_signal) != 2)
		return true;
	unsetenv(PARENT);
	return end_with(parent, death_signal);
}

__attribute__((noreturn)) static void become(const char *const *words, const char *folder, int death_signal,
					     pid_t agent)
{
	char self[PATH_MAX] = "", parent[32];
	bool is_dusk = !strcmp(words[0], "dusk");

	if (is_dusk ? helper_self(self) : helper_find(self, words[0]))
		*self = 0;
	/* Ctrl-C is for the agent, which passes it on: a recorder that got it twice would not look up functions. */
	setpgid(0, 0);
	/* Only dusk reads it. A helper would hand it on to a dusk that it starts, which ends at once: the agent is not its parent. */
	snprintf(parent, sizeof(parent), "%d %d", agent, death_signal);
	if (!end_with(agent, death_signal) || (is_dusk && setenv(PARENT, parent, true)))
		_exit(STATUS_FAILED);
	if (!folder || !chdir(folder)) {
		execv(self, (char *const *)words);
		if (is_dusk)
			execv("/proc/self/exe", (char *const *)words); /* the file was removed */
	}
	say("cannot start %s %s: %s", words[0], words[1], strerror(errno));
	_exit(STATUS_FAILED);
}

pid_t agent_start_child(const char *const *words, const char *folder, int death_signal)
{
	pid_t agent = getpid(), pid;
	int became[2];
	char none;

	if (pipe2(became, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become(words, folder, death_signal, agent);
	if (pid < 0)
		pid = -errno;
	close(became[1]);
	while (pid > 0 && read(became[0], &none, 1) < 0 && errno == EINTR)
		;
	close(became[0]);
	return pid;
}

uint64_t agent_sum_children(pid_t pid, uint64_t (*of)(pid_t pid))
{
	_cleanup_(fclosep) FILE *f = NULL;
	uint64_t sum = 0;
	char path[64];
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		sum += of(child);
	return sum;
}
