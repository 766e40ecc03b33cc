/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Send the store to servers while it is recorded: programs of their own do that. See agent.h. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/agent/agent.h"
#include "cli/cmdline/helper.h"

#define NS_A_S 1000000000ULL
#define AGAIN_NS (10 * NS_A_S) /* after it has ended by itself */
#define LAST_NS (20 * NS_A_S)  /* it may take so long to send the rest at the end */
#define PRIORITY 10

int agent_prepare_senders(struct agent_senders *s, const struct agent_options *o)
{
	char *rest = NULL;

	if (!o->to)
		return STATUS_OK;
	s->urls = strdup(o->to);
	for (char *url = s->urls ? strtok_r(s->urls, ",", &rest) : NULL; url; url = strtok_r(NULL, ",", &rest)) {
		struct agent_sender *sender = vec_add(&s->v);

		if (!sender)
			break;
		sender->url = url;
		if (helper_that_sends(url))
			continue;
		say("--to takes an address such as clickhouse://HOST/dusk or otlp://HOST, not '%s'", url);
		return STATUS_FAILED;
	}
	return STATUS_OK;
}

static void start(struct agent_sender *s, const struct agent_options *o, const char *how)
{
	const char *words[] = {helper_that_sends(s->url), how, s->url, o->store, NULL};
	pid_t pid = agent_start_child(words, NULL, SIGTERM);

	if (pid < 0) {
		say("cannot send to a server: %s", strerror(-pid));
		return;
	}
	s->pid = pid;
	setpriority(PRIO_PROCESS, pid, PRIORITY);
}

static void follow(struct agent_sender *s, const struct agent_options *o, uint64_t now_ns)
{
	int status;

	if (s->pid && waitpid(s->pid, &status, WNOHANG) == s->pid) {
		say("sending to %.*s has ended, and begins anew in %d s", (int)strcspn(s->url, ":"), s->url,
		    (int)(AGAIN_NS / NS_A_S));
		s->pid = 0;
		s->next_ns = now_ns + AGAIN_NS;
	}
	if (!s->pid && now_ns >= s->next_ns) {
		s->next_ns = now_ns + AGAIN_NS;
		start(s, o, "follow");
	}
}

void agent_follow_senders(struct agent_senders *s, const struct agent_options *o, uint64_t now_ns)
{
	for (size_t i = 0; i < s->v.nr; i++)
		follow(&s->v.v[i], o, now_ns);
}

/* Wait until @end_ns for @one, and then no longer. Returns whether it has done all that it was to do. */
static bool wait_for(struct agent_sender *one, uint64_t end_ns)
{
	int status = 0;

	while (one->pid && waitpid(one->pid, &status, WNOHANG) == 0) {
		if (now_ns() >= end_ns)
			kill(one->pid, SIGKILL);
		usleep(50000);
	}
	one->pid = 0;
	return !status;
}

void agent_end_senders(struct agent_senders *s, const struct agent_options *o)
{
	uint64_t end_ns = now_ns() + LAST_NS;

	for (size_t i = 0; i < s->v.nr; i++)
		if (s->v.v[i].pid)
			kill(s->v.v[i].pid, SIGTERM);
	for (size_t i = 0; i < s->v.nr; i++)
		wait_for(&s->v.v[i], end_ns);
	for (size_t i = 0; i < s->v.nr; i++)
		start(&s->v.v[i], o, "send-rest"); /* what the recorders have written at their end */
	end_ns = now_ns() + LAST_NS;
	for (size_t i = 0; i < s->v.nr; i++) {
		const char *url = s->v.v[i].url;

		if (!wait_for(&s->v.v[i], end_ns))
			say("the last that was recorded is still to be sent to %.*s: the next agent does that, or dusk "
			    "store send",
			    (int)strcspn(url, ":"), url);
	}
	vec_done(&s->v);
	free(s->urls);
}
