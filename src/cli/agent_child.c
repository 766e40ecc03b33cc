/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Start another dusk, as a child of the agent. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "cli/agent.h"
#include "cli/helper.h"

__attribute__((noreturn)) static void become(const char *const *words, const char *folder, int death_signal,
					     pid_t agent)
{
	char self[PATH_MAX] = "";

	bool is_dusk = !strcmp(words[0], "dusk");

	if (is_dusk ? helper_self(self) : helper_find(self, words[0]))
		*self = 0;
	prctl(PR_SET_PDEATHSIG, death_signal);
	if (getppid() != agent)
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
