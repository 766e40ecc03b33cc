/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answer how it goes while the store is recorded: a program of its own does that, as the agent has no network. See agent.h. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "base/clock.h"
#include "cli/agent/agent.h"
#include "cli/cmdline/helper.h"

#define AGAIN_NS (60 * 1000000000ULL) /* after it has ended by itself */

static void start(struct agent_metrics *s, const struct agent_options *o)
{
	char self[PATH_MAX];
	const char *words[] = {HELPER_WEB, self, o->store, o->metrics, "", "metrics", NULL};
	pid_t pid = helper_self(self) ?: agent_start_child(words, NULL, SIGTERM);

	if (pid < 0)
		say("cannot answer at %s: %s", o->metrics, strerror(-pid));
	else
		s->pid = pid;
}

void agent_follow_metrics(struct agent_metrics *s, const struct agent_options *o, uint64_t now_ns)
{
	int status;

	if (s->pid && waitpid(s->pid, &status, WNOHANG) == s->pid) {
		say("what answers at %s has ended, and begins anew in a minute", o->metrics);
		s->pid = 0;
	}
	if (!o->metrics || s->pid || now_ns < s->next_ns)
		return;
	s->next_ns = now_ns + AGAIN_NS;
	start(s, o);
}

void agent_end_metrics(struct agent_metrics *s)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGTERM);
	while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
}
