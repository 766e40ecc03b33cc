/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The main program: find and run the command. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/agent/agent.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/home.h"

#define MAX_COMMANDS 32

/* In the order of the help, which has a title before the first one of each group. */
const struct command *const commands[] = {
	&cmd_record, &cmd_list,	 &cmd_stacks, &cmd_trace,    &cmd_import,   &cmd_merge,	     &cmd_recover, &cmd_doctor,
	&cmd_report, &cmd_flame, &cmd_diff,   &cmd_annotate, &cmd_query,    &cmd_script,     &cmd_export,  &cmd_info,
	&cmd_agent,  &cmd_store, &cmd_web,    &cmd_collect,  &cmd_stackmap, &cmd_completion, NULL,
};

static const struct {
	const struct command *first;
	const char *title;
} groups[] = {
	{&cmd_record, "Record"},
	{&cmd_report, "Look"},
	{&cmd_agent, "Always on, and many hosts"},
	{&cmd_stackmap, "For tools"},
};

static void help_command(FILE *out, const struct command *c)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (groups[i].first == c)
			fprintf(out, "\n%s:\n", groups[i].title);
	if (!c->hidden)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
}

static void help(FILE *out)
{
	fputs("Usage: dusk COMMAND [options]\n\n"
	      "Shows where a machine's CPU time goes, with complete stacks of stock programs.\n",
	      out);
	for (const struct command *const *c = commands; *c; c++)
		help_command(out, *c);
	fputs("\nOptions:\n"
	      "  -h,  --help                     this text; of a command: dusk help COMMAND\n"
	      "  -V,  --version                  the version\n\n"
	      "First steps:\n"
	      "  sudo dusk record -d 10s         the whole machine for ten seconds\n"
	      "  dusk report                     which functions took the time\n"
	      "  dusk flame                      the same as a flame graph, flame.html\n",
	      out);
}

static const struct command *find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static int unknown(const char *name)
{
	const char *names[MAX_COMMANDS] = {"help"}, *near;
	size_t nr = 1;

	for (const struct command *const *c = commands; *c && nr < MAX_COMMANDS - 1; c++)
		if (!(*c)->hidden)
			names[nr++] = (*c)->name;
	near = suggest(name, names);
	if (near)
		say("unknown command '%s'; did you mean '%s'?", name, near);
	else
		say("unknown command '%s'; 'dusk help' lists them", name);
	return STATUS_USAGE;
}

static int help_about(const char *name)
{
	const struct command *c = find(name);

	if (!c)
		return unknown(name);
	command_help(stdout, c);
	return STATUS_OK;
}

static int run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct command *c;

	if (!word) {
		help(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(word, "help") && argc > 2)
		return help_about(argv[2]);
	if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h")) {
		help(stdout);
		return STATUS_OK;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("dusk %s\n", dusk_version());
		return STATUS_OK;
	}
	if (*word == '-') {
		say("unknown option '%s'; options come after the command: dusk COMMAND [options]", word);
		return STATUS_USAGE;
	}
	c = find(word);
	if (!c)
		return unknown(word);
	if (phase_enter(c->phase))
		return STATUS_FAILED;
	if (c != &cmd_record && c != &cmd_trace) /* the commands that these start inherit our environment */
		home_leave_alone();
	return c->run(c, argc - 1, argv + 1);
}

static void on_limit(int signal)
{
	/* Only to keep the signal from killing us. */
}

/*
 * Make a write beyond RLIMIT_FSIZE fail with EFBIG, like an error of a full disk. As exec resets handlers, commands
 * that we start still get the default.
 */
static void catch_limit(void)
{
	struct sigaction now = {.sa_handler = on_limit, .sa_flags = SA_RESTART}, old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &now, NULL);
}

/*
 * Set-user-ID and set-group-ID are refused, so that files and caches have one owner. Extra privileges are granted by
 * capabilities (phase.c).
 */
static bool is_one_user(void)
{
	return getuid() == geteuid() && getgid() == getegid();
}

int main(int argc, char **argv)
{
	int status;

	if (!is_one_user()) {
		say("not made to run set-user-ID or set-group-ID; 'dusk doctor' says which capabilities to give it "
		    "instead");
		return STATUS_PRIVILEGE;
	}
	if (!agent_child_begin())
		return STATUS_FAILED;
	catch_limit();
	status = run(argc, argv);
	if (fflush(stdout) && status == STATUS_OK) {
		say("cannot write: %m");
		return STATUS_FAILED;
	}
	return status;
}
