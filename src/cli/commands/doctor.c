/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk doctor: check whether this machine can record, and explain the walk of one stack. */
#include <string.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/output.h"
#include "cli/commands/explain.h"

struct options {
	bool json, walk;
	const char *keep;
};

static const struct option options[] = {
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line and check or frame"},
	{0, "walk", OPTION_FLAG, offsetof(struct options, walk), NULL, "explain the walk of a thread's stack"},
	{0, "keep", OPTION_TEXT, offsetof(struct options, keep), "FILE", "write a specimen of it, for a bug report"},
	{0},
};

static const char *state_name(enum dusk_check_state state)
{
	static const char *const names[] = {"OK", "WARN", "FAIL"};

	return names[state];
}

static void write_json(FILE *out, const struct dusk_check *checks, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct json j = {.out = out};

		json_object(&j, NULL);
		json_string(&j, "check", checks[i].name);
		json_string(&j, "state", state_name(checks[i].state));
		json_string(&j, "result", checks[i].result);
		json_string(&j, "remedy", checks[i].remedy);
		json_object_end(&j);
		putc('\n', out);
	}
}

static void write_state(const struct output *o, enum dusk_check_state state)
{
	static const char *const colors[] = {"\033[32m", "\033[33m", "\033[31m"};

	fprintf(o->file, "%s%-4s%s", o->color ? colors[state] : "", state_name(state), o->color ? "\033[0m" : "");
}

static void write_capabilities(FILE *out)
{
	char grant[512];

	fputs("\nInstead of root, these capabilities suffice (the first two to record, the others for all names):\n",
	      out);
	for (const struct dusk_capability *c = dusk_capabilities(); c->name; c++)
		fprintf(out, "  %-24s %s\n", c->name, c->purpose);
	dusk_capabilities_grant(grant, sizeof(grant), "dusk");
	fprintf(out, "To give them to the members of the group dusk, who alone may run dusk then:\n  %s\n", grant);
}

/* The mode in which this machine can record, if it is not the full one; or NULL. */
static const char *other_mode(const struct dusk_check *checks, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!strncmp(checks[i].name, "mode ", 5) && checks[i].state == DUSK_OK)
			return checks[i].name;
	return NULL;
}

static void write_verdict(FILE *out, const char *other, bool able)
{
	if (able)
		fputs("\nThis machine can run dusk record.\n", out);
	else if (other)
		fprintf(out, "\nThis machine can run dusk record in %s only (dusk-record(1), MODES).\n", other);
	else
		fputs("\nThis machine cannot run dusk record.\n", out);
}

static void write_text(const struct output *o, const struct dusk_check *checks, int nr, bool able)
{
	int width = 0;

	for (int i = 0; i < nr; i++)
		if ((int)strlen(checks[i].name) > width)
			width = strlen(checks[i].name);
	for (int i = 0; i < nr; i++) {
		write_state(o, checks[i].state);
		fprintf(o->file, "  %-*s  %s\n", width, checks[i].name, checks[i].result);
		if (checks[i].state != DUSK_OK && *checks[i].remedy)
			fprintf(o->file, "%*s-> %s\n", 6 + width + 2, "", checks[i].remedy);
	}
	write_capabilities(o->file);
	write_verdict(o->file, other_mode(checks, nr), able);
}

static int check_machine(bool json)
{
	_cleanup_(freep) struct dusk_check *checks = NULL;
	struct output out;
	bool able = true;
	int status, nr = dusk_doctor(&checks);

	if (nr < 0) {
		say("cannot examine this machine: %s", strerror(-nr));
		return STATUS_FAILED;
	}
	for (int i = 0; i < nr; i++)
		able &= checks[i].state != DUSK_FAIL;
	status = output_open(&out, NULL, false);
	if (status)
		return status;
	if (json)
		write_json(out.file, checks, nr);
	else
		write_text(&out, checks, nr, able);
	status = output_close(&out, 0);
	return status ? status : able ? STATUS_OK : STATUS_PRIVILEGE;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {0};
	const char *what = NULL;
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, &what, 1, &nr, &status))
		return status;
	if (!o.walk && nr)
		return say_usage(self, "unexpected argument '%s'. Only --walk takes a thread", what);
	if (!o.walk && o.keep)
		return say_usage(self, "--keep is for --walk%s", "");
	if (o.walk && !nr)
		return say_usage(self, "--walk which thread?%s", "");
	if (!o.walk)
		return check_machine(o.json);
	/* Only memory that the user may read is read: without the capabilities of the program. */
	return phase_enter(PHASE_VIEW) ?: walk_explain(what, o.keep, o.json);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "Can this machine record, and if not, what would help?",
	.arguments = "[options] | --walk [--keep FILE] PID|SPECIMEN",
	.notes = "Exit status: 0 if it can, 3 if not.\n",
	.phase = PHASE_SETUP,
	.options = options,
	.run = run,
};
