/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/cmdline/events.h"
#include <dusk/dusk.h>
#include <errno.h>
#include <string.h>
#include "cli/cmdline/command.h"
#include "cli/cmdline/event_words.h"

static bool is_there(const struct tracefs_names *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

/* Drop events that are listed already: several patterns may match an event. */
static void drop_twins(struct tracefs_names *names, size_t before)
{
	size_t kept = before;

	for (size_t i = before; i < names->nr; i++) {
		if (is_there(names, before, names->v[i]))
			free(names->v[i]);
		else
			names->v[kept++] = names->v[i];
	}
	names->nr = kept;
}

int events_choose(struct tracefs_names *ret, const char *pattern)
{
	size_t before = ret->nr;
	int nr = tracefs_expand(ret, pattern);
	char text[1024];

	if (nr < 0 && event_word_explain(pattern, text, sizeof(text)))
		say("%s", text);
	else if (nr == -ENODEV)
		say("tracefs is not mounted; as root: mount -t tracefs tracefs /sys/kernel/tracing");
	else if (nr == -EINVAL)
		say("%s is no event; they are called group:event, as in sched:sched_switch", pattern);
	else if (nr == -ENOENT)
		say("there is no event %s; %s/available_events lists them", pattern, tracefs_folder());
	else if (nr == -EACCES || nr == -EPERM)
		say("cannot read the events in %s: %s; run as root, or with cap_dac_read_search beside what 'dusk "
		    "doctor' names",
		    tracefs_folder() ?: "tracefs", strerror(-nr));
	else if (nr < 0)
		say("cannot read the events in %s: %s", tracefs_folder() ?: "tracefs", strerror(-nr));
	if (nr < 0)
		return nr == -EACCES || nr == -EPERM ? STATUS_PRIVILEGE : STATUS_FAILED;
	drop_twins(ret, before);
	return STATUS_OK;
}

static int add(struct tracefs_names *names, const char *event)
{
	size_t before = names->nr;
	char *copy = strdup(event);

	if (copy && !vec_push(names, copy)) {
		drop_twins(names, before);
		return STATUS_OK;
	}
	free(copy);
	say("%s: out of memory", event);
	return STATUS_FAILED;
}

static int explain(const struct command *self, const char *event)
{
	char text[1024];

	return say_usage(self, "%s", event_word_explain(event, text, sizeof(text)) ? text : "no such event");
}

int events_take(const struct command *self, const char *word, uint32_t *sources, struct tracefs_names *names)
{
	const char *event = event_word_means(word) ?: word;

	if (!strcmp(event, "cpu"))
		*sources |= DUSK_RECORD_CPU;
	else if (!strcmp(event, "offcpu"))
		*sources |= DUSK_RECORD_OFF_CPU;
	else if (event_word_is_probe(event))
		return add(names, event);
	else if (strchr(event, ':'))
		return events_choose(names, event);
	else
		return explain(self, event);
	return STATUS_OK;
}
