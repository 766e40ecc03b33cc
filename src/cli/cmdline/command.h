/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Definitions shared by all commands: the table, exit codes, messages. */
#pragma once
#include <dusk/dusk.h>
#include "cli/cmdline/options.h"
#include "cli/cmdline/phase.h"

enum {
	STATUS_OK,
	STATUS_FAILED,
	STATUS_USAGE,
	STATUS_PRIVILEGE,
	STATUS_NOTHING,
	STATUS_NOT_EXECUTABLE = 126,
	STATUS_NOT_FOUND
};

#define DEFAULT_PROFILE "profile.dusk"

struct command {
	const char *name, *summary;
	const char *arguments; /* of the usage line */
	const char *notes;     /* below the options in --help, or NULL */
	bool hidden;	       /* not for users: left out of the list of commands */
	enum phase phase;      /* in which it begins: its privileges, see phase.c */
	const struct option *options;
	int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the command's name */
};

extern const struct command cmd_record, cmd_report, cmd_diff, cmd_annotate, cmd_query, cmd_script, cmd_export,
	cmd_flame, cmd_info, cmd_doctor, cmd_stacks, cmd_stackmap, cmd_completion, cmd_recover, cmd_import, cmd_trace,
	cmd_merge, cmd_list, cmd_agent, cmd_web, cmd_store, cmd_collect;

extern const struct command *const commands[]; /* all commands, terminated by NULL */

/*
 * Parse the options of @c. @next: set to the index in argv of the first word left; NULL: the command takes no words.
 * Returns true to go on; false to exit with *status, after help or an error is printed.
 */
bool command_options(const struct command *c, int argc, char **argv, void *into, int *next, int *status);

/*
 * The same for a command whose words may stand before, between and after its options. Stores up to @max of them in
 * @words.
 */
bool command_words(const struct command *c, int argc, char **argv, void *into, const char **words, size_t max,
		   size_t *nr, int *status);

/*
 * The same for a command whose only word is a profile, FILE. @input: the member of @into that -i sets; set to the
 * profile to read.
 */
bool command_profile(const struct command *c, int argc, char **argv, void *into, const char **input, int *status);

/*
 * Refuse options that were given to @word, a word of @c, which uses none but @used: " NAME NAME ". @options: as for
 * command_words(), all-zero before. Returns STATUS_OK; or STATUS_USAGE, after an error is printed.
 */
int command_refuse(const struct command *c, const void *options, const char *word, const char *used);

void command_help(FILE *out, const struct command *c);

/* Print a line to stderr, after "dusk: ". Names in it need not be trusted: control characters are escaped. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The value of SUDO_UID or SUDO_GID, the owner of files made under sudo; -1 if we do not run under sudo. */
uid_t sudo_id(const char *variable);

/* Print a usage error, and a pointer to --help. Returns STATUS_USAGE. */
int say_usage(const struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
