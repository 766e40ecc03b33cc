/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk list: what dusk record -e takes: words, events of tracefs with their fields, functions and USDT probes of files. */
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/strings.h"
#include "base/tracefs.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/event_words.h"

#define NAME_COLUMNS 40

struct options {
	uint32_t pid;
};

static const struct option options[] = {
	{'p', "pid", OPTION_NUMBER, offsetof(struct options, pid), "PID", "what the files have that it has mapped", 1,
	 INT32_MAX},
	{0},
};

/* What is listed, and how much of it there was. */
struct listing {
	const char *pattern; /* with wildcards */
	size_t nr;
};

static void show(struct listing *l, const char *name, const char *fields)
{
	if (*fields)
		printf("%-*s %s\n", NAME_COLUMNS, name, fields);
	else
		puts(name);
	l->nr++;
}

static bool matches(const struct listing *l, const char *name)
{
	return !fnmatch(l->pattern, name, 0);
}

static void list_words(struct listing *l)
{
	static const char *const words[][2] = {
		{"cpu", "samples of running stacks"},
		{"offcpu", "all off-CPU intervals"},
		{"cpu-clock", NULL},
		{"cycles", NULL},
		{"page-faults", NULL},
		{"context-switches", NULL},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *means = event_word_means(words[i][0]);
		char text[128];

		snprintf(text, sizeof(text), "is %s", means ? means : "");
		if (means && matches(l, words[i][0]))
			show(l, words[i][0], words[i][1] ? words[i][1] : text);
	}
}

/* Append the declaration that @line, of a file "format", has, if it is one of the event's own fields. */
static void append_field(FILE *out, const char *line, const char *between)
{
	const char *field = strstr(line, "field:");

	if (!field || strstr(line, " common_"))
		return;
	field += strlen("field:");
	fprintf(out, "%s%.*s", between, (int)strcspn(field, ";"), field);
}

static char *fields_of(const char *event)
{
	_cleanup_(freep) char *format = NULL;
	char *ret = NULL, *rest, *line;
	size_t len, before;
	FILE *out = open_memstream(&ret, &len);

	if (out && !tracefs_format(event, &format, &before)) {
		rest = format;
		while ((line = strsep(&rest, "\n"))) {
			fflush(out);
			append_field(out, line, len ? ", " : "");
		}
	}
	if (out)
		fclose(out);
	return ret;
}

static int list_events(struct listing *l)
{
	struct tracefs_names names = {0};
	int err = tracefs_expand(&names, "*:*");

	for (size_t i = 0; i < names.nr; i++) {
		_cleanup_(freep) char *fields = matches(l, names.v[i]) ? fields_of(names.v[i]) : NULL;

		if (matches(l, names.v[i]))
			show(l, names.v[i], fields ? fields : "");
	}
	tracefs_names_done(&names);
	if (err == -ENODEV)
		say("tracefs is not mounted, so its events are not listed; as root: mount -t tracefs tracefs "
		    "/sys/kernel/tracing");
	else if (err < 0 && err != -ENOENT)
		say("events in %s are not listed: %s; only root may read them", tracefs_folder() ?: "tracefs",
		    strerror(-err));
	return err == -EACCES || err == -EPERM ? STATUS_PRIVILEGE : STATUS_OK;
}

static int list_probes(struct listing *l, const char *pattern, bool quiet)
{
	struct dusk_error err = {""};
	struct dusk_probes *p;

	if (dusk_probes_list(&p, pattern, &err)) {
		if (!quiet)
			say("%s", err.text);
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < dusk_probes_nr(p); i++)
		show(l, dusk_probes_name(p, i), dusk_probes_fields(p, i));
	dusk_probes_free(p);
	return STATUS_OK;
}

/* The path of the file that @line of /proc/PID/maps has mapped as code; NULL: none. */
static char *mapped_file(char *line)
{
	char *path = strchr(line, '/');
	char access[8] = "";

	line[strcspn(line, "\n")] = 0;
	return path && sscanf(line, "%*s %7s", access) == 1 && access[2] == 'x' && !strstr(path, " (deleted)") ? path
													       : NULL;
}

/* List what the files of process @pid have: "usdt:..." or "uprobe:...", without its file. */
static int list_process(struct listing *l, uint32_t pid, const char *kind, const char *rest)
{
	struct strings seen = {0};
	char path[64], *line = NULL;
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f) {
		say(errno == ENOENT ? "there is no process %u"
				    : "cannot read the mappings of process %u: it is another user's",
		    pid);
		return STATUS_FAILED;
	}
	while (getline(&line, &room, f) > 0) {
		const char *file = mapped_file(line);
		_cleanup_(freep) char *pattern = NULL;
		bool fresh = false;
		uint32_t number;

		if (!file || strings_number(&seen, file, strlen(file), &number, &fresh) || !fresh)
			continue;
		if (asprintf(&pattern, "%s:%s%s", kind, file, rest) >= 0)
			list_probes(l, pattern, true);
		else
			pattern = NULL;
	}
	free(line);
	fclose(f);
	strings_done(&seen);
	return STATUS_OK;
}

/* A word without wildcards is searched for anywhere in a name. */
static char *pattern_of(const char *word)
{
	char *ret = NULL;

	if (strpbrk(word, "*?["))
		return strdup(word);
	return asprintf(&ret, "*%s*", word) < 0 ? NULL : ret;
}

static bool is_kind(const char *word, const char *kind)
{
	size_t len = strlen(kind);

	return !strncmp(word, kind, len) && (!word[len] || word[len] == ':');
}

static int list(struct listing *l, const struct options *o, const char *word)
{
	bool usdt = is_kind(word, "usdt"), uprobe = is_kind(word, "uprobe") || is_kind(word, "uretprobe");
	int status;

	if (o->pid && *word && !usdt && !uprobe) {
		say("of a process USDT probes are listed, usdt, or functions, uprobe:NAME");
		return STATUS_USAGE;
	}
	if (o->pid)
		return list_process(l, o->pid, usdt || !*word ? "usdt" : "uprobe", strchr(word, ':') ?: "");
	if (usdt || uprobe)
		return list_probes(l, word, false);
	list_words(l);
	status = list_events(l);
	return l->nr ? STATUS_OK : status;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {0};
	const char *word = "";
	_cleanup_(freep) char *pattern = NULL;
	struct listing l = {0};
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, &word, 1, &nr, &status))
		return status;
	l.pattern = pattern = pattern_of(word);
	if (!pattern) {
		say("out of memory");
		return STATUS_FAILED;
	}
	status = list(&l, &o, word);
	if (status || l.nr)
		return status;
	say("nothing matches %s; dusk list without a pattern lists all events, and dusk list 'uprobe:FILE:*' functions "
	    "of a "
	    "file",
	    *word ? word : pattern);
	return STATUS_FAILED;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "List what can be recorded: events, functions, USDT probes",
	.arguments = "[options] [PATTERN]",
	.notes = "PATTERN is a part of a name, or has wildcards: 'block:*'.\n"
		 "Of a file: 'uprobe:libc:*alloc*', 'usdt:/bin/sh'; of a process: -p PID usdt.\n",
	.options = options,
	.run = run,
};
