/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code shared by all commands. See command.h. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/cmdline/command.h"
#include "report/text.h"

/* All that is said goes to the terminal here: there are names and messages of others in it. */
static void write_safe(const char *format, va_list arguments)
{
	_cleanup_(freep) char *line = NULL;

	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	text_write(stderr, line ? line : strerror(ENOMEM), TEXT_TERMINAL);
	putc('\n', stderr);
}

void say(const char *format, ...)
{
	va_list arguments;

	fputs("dusk: ", stderr);
	va_start(arguments, format);
	write_safe(format, arguments);
	va_end(arguments);
}

int say_usage(const struct command *c, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "dusk %s: ", c->name);
	va_start(arguments, format);
	write_safe(format, arguments);
	va_end(arguments);
	fprintf(stderr, "Try 'dusk %s --help'.\n", c->name);
	return STATUS_USAGE;
}

void command_help(FILE *out, const struct command *c)
{
	fprintf(out, "Usage: dusk %s %s\n%s\n\nOptions:\n", c->name, c->arguments, c->summary);
	options_help(out, c->options);
	if (c->notes)
		fprintf(out, "\n%s", c->notes);
}

static bool parse(const struct command *c, int argc, char **argv, void *into, struct options_result *result,
		  int *status)
{
	int err = options_parse(c->options, argc, argv, into, result);

	if (err) {
		*status = say_usage(c, "%s", *result->error ? result->error : strerror(-err));
	} else if (result->help) {
		command_help(stdout, c);
		*status = STATUS_OK;
	} else {
		return true;
	}
	options_done(c->options, into);
	return false;
}

static bool refuse_word(const struct command *c, const char *word, void *into, int *status)
{
	*status = say_usage(c, "unexpected argument '%s'%s", word,
			    strstr(word, ".dusk") ? "; a profile is named by -i" : "");
	options_done(c->options, into);
	return false;
}

bool command_options(const struct command *c, int argc, char **argv, void *into, int *next, int *status)
{
	struct options_result result;

	if (!parse(c, argc, argv, into, &result, status))
		return false;
	if (!next && result.next < argc)
		return refuse_word(c, argv[result.next], into, status);
	if (next)
		*next = result.next;
	return true;
}

bool command_words(const struct command *c, int argc, char **argv, void *into, const char **words, size_t max,
		   size_t *nr, int *status)
{
	struct options_result result = {0};

	*nr = 0;
	for (int at = 0;; at += result.ended) {
		if (!result.ended) {
			if (!parse(c, argc - at, argv + at, into, &result, status))
				return false;
			at += result.next;
		}
		if (at >= argc)
			return true;
		if (*nr == max)
			return refuse_word(c, argv[at], into, status);
		words[(*nr)++] = argv[at];
	}
}

int command_refuse(const struct command *c, const void *options, const char *word, const char *used)
{
	char name[40];

	for (const struct option *o = c->options; o->name; o++) {
		snprintf(name, sizeof(name), " %s ", o->name);
		if (option_is_given(o, options) && !strstr(used, name))
			return say_usage(c, "--%s means nothing to %s", o->name, word);
	}
	return STATUS_OK;
}

bool command_profile(const struct command *c, int argc, char **argv, void *into, const char **input, int *status)
{
	const char *word;
	size_t nr;

	if (!command_words(c, argc, argv, into, &word, 1, &nr, status))
		return false;
	if (nr && *input) {
		*status = say_usage(c, "either '%s' or -i '%s'", word, *input);
		options_done(c->options, into);
		return false;
	}
	if (nr)
		*input = word;
	else if (!*input)
		*input = DEFAULT_PROFILE;
	return true;
}

uid_t sudo_id(const char *variable)
{
	const char *value = geteuid() ? NULL : getenv(variable);
	char *end;
	unsigned long id = value ? strtoul(value, &end, 10) : 0;

	return value && *value && !*end && id < UINT_MAX ? (uid_t)id : (uid_t)-1;
}
