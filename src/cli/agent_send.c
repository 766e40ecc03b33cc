/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Send the store to a server while it is recorded: dusk-clickhouse does that. See agent.h. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/agent.h"
#include "cli/helper.h"

#define NS_A_S 1000000000ULL
#define AGAIN_NS (10 * NS_A_S) /* after it has ended by itself */
#define LAST_NS (20 * NS_A_S)  /* it may take so long to send the rest at the end */
#define PRIORITY 10
#define POSITION ".sent-" /* a file of its own for each server: src/send/position.h */
#define MAX_POSITION_BYTES 4096

/* The name in a file of a position, "profile NAME" on its first line. Returns false if there is none. */
static bool read_position(char *ret, size_t room, const char *store, const char *name)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_MAX];
	size_t len;

	if (snprintf(path, sizeof(path), "%s/%s", store, name) >= PATH_MAX ||
	    file_read(&text, &len, path, MAX_POSITION_BYTES) || strncmp(text, "profile ", 8))
		return false;
	snprintf(ret, room, "%.*s", (int)strcspn(text + 8, "\n"), text + 8);
	return true;
}

void agent_first_unsent(char *ret, size_t room, const char *store)
{
	DIR *dir = opendir(store);
	char profile[NAME_MAX + 1];
	struct dirent *d;

	*ret = 0;
	while (dir && (d = readdir(dir)))
		if (!strncmp(d->d_name, POSITION, strlen(POSITION)) &&
		    read_position(profile, sizeof(profile), store, d->d_name) && (!*ret || strcmp(profile, ret) < 0))
			snprintf(ret, room, "%s", profile);
	if (dir)
		closedir(dir);
}

static void start(struct agent_sender *s, const struct agent_options *o, const char *how)
{
	const char *words[] = {HELPER_CLICKHOUSE, how, o->to, o->store, NULL};
	pid_t pid = agent_start_child(words, NULL, SIGTERM);

	if (pid < 0) {
		say("cannot send to a server: %s", strerror(-pid));
		return;
	}
	s->pid = pid;
	setpriority(PRIO_PROCESS, pid, PRIORITY);
}

void agent_follow_sender(struct agent_sender *s, const struct agent_options *o, uint64_t now_ns)
{
	int status;

	if (!o->to)
		return;
	if (s->pid && waitpid(s->pid, &status, WNOHANG) == s->pid) {
		say("sending to the server has ended, and begins anew in %d s", (int)(AGAIN_NS / NS_A_S));
		s->pid = 0;
		s->next_ns = now_ns + AGAIN_NS;
	}
	if (!s->pid && now_ns >= s->next_ns) {
		s->next_ns = now_ns + AGAIN_NS;
		start(s, o, "follow");
	}
}

static void wait_for(struct agent_sender *s, uint64_t patience_ns)
{
	uint64_t end_ns = now_ns() + patience_ns;

	while (s->pid && waitpid(s->pid, NULL, WNOHANG) == 0) {
		if (now_ns() >= end_ns)
			kill(s->pid, SIGKILL);
		usleep(50000);
	}
	s->pid = 0;
}

void agent_end_sender(struct agent_sender *s, const struct agent_options *o)
{
	if (!s->pid)
		return;
	kill(s->pid, SIGTERM);
	wait_for(s, LAST_NS);
	start(s, o, "send-rest"); /* what the recorders have written at their end */
	wait_for(s, LAST_NS);
}
