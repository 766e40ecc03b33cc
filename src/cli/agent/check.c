/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk agent --check-config: could what the options say be done? Nothing is recorded, and no server is asked. See agent.h. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/agent/agent.h"
#include "cli/cmdline/events.h"
#include "cli/cmdline/helper.h"

/* A user that may not read the events of tracefs has them unchecked, which is said. */
static int check_event(const struct command *self, const char *word)
{
	struct tracefs_names names = {0};
	uint32_t sources = 0;
	int status = events_take(self, word, &sources, &names);

	tracefs_names_done(&names);
	return status == STATUS_PRIVILEGE ? STATUS_OK : status;
}

static int check_events(const struct command *self, const char *list)
{
	_cleanup_(freep) char *events = strdup(list);
	char *rest = NULL;
	int status = events ? STATUS_OK : STATUS_FAILED;

	for (char *word = strtok_r(events, ",", &rest); word && !status; word = strtok_r(NULL, ",", &rest))
		status = check_event(self, word);
	return status;
}

/* Ask the program that sends to each server whether its address is one. */
static int check_servers(const struct agent_options *o)
{
	struct agent_senders senders = {0};
	int status = agent_prepare_senders(&senders, o);

	for (size_t i = 0; i < senders.v.nr && !status; i++) {
		const char *url = senders.v.v[i].url;

		status = helper_run((const char *const[]){helper_that_sends(url), "address", url, NULL});
	}
	vec_done(&senders.v);
	free(senders.urls);
	return status;
}

int agent_check(const struct command *self, const struct agent_options *o)
{
	return check_events(self, o->events) ?: check_servers(o);
}
