/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What do all commands have in common: their place in the table, their exit codes, their manners? */
#pragma once
#include <dusk/dusk.h>
#include "cli/options.h"
#include "cli/phase.h"

enum { STATUS_OK, STATUS_FAILED, STATUS_USAGE, STATUS_PRIVILEGE, STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND };

#define DEFAULT_PROFILE "profile.dusk"

struct command {
	const char *name, *summary;
	const char *arguments; /* of the usage line */
	const char *notes;     /* below the options in --help, or NULL */
	bool hidden;	       /* not for users: the list of commands is without it */
	enum phase phase;      /* that it begins in: what it may do beyond its user, phase.c */
	const struct option *options;
	int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the command's name */
};

extern const struct command cmd_record, cmd_report, cmd_diff, cmd_annotate, cmd_query, cmd_script, cmd_export,
	cmd_flame, cmd_info, cmd_doctor, cmd_stacks, cmd_sframe, cmd_stackmap, cmd_completion, cmd_recover, cmd_import,
	cmd_trace;

extern const struct command *const commands[]; /* all of them, and NULL */

/*
 * Parse the options of @c. True: go on, argv[*next] is the first word left. False: exit with *status, all is said. A
 * command that passes NULL for @next takes no further words.
 */
bool command_options(const struct command *c, int argc, char **argv, void *into, int *next, int *status);

/*
 * The same for a command whose words may stand before, between and behind its options: up to @max of them to @words.
 */
bool command_words(const struct command *c, int argc, char **argv, void *into, const char **words, size_t max,
		   size_t *nr, int *status);
void command_help(FILE *out, const struct command *c);

/* One line on stderr, after "dusk: ". Names in it need not be trusted: a terminal gets no control characters. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* SUDO_UID or SUDO_GID, whose the files are that we make under sudo; else -1. */
uid_t sudo_id(const char *variable);

/* A usage error: the line, and where to read on. Returns STATUS_USAGE. */
int say_usage(const struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
