/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk recover: make a profile from a recording that was killed. */
#include <errno.h>
#include "cli/cmdline/command.h"

struct options {
	const char *input;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile to be (default " DEFAULT_PROFILE ")"},
	{0},
};

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE};
	struct dusk_error err = {""};
	int status;

	if (!command_options(self, argc, argv, &o, NULL, &status))
		return status;
	if (dusk_profile_recover(o.input, 0, &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	say("wrote %s; it has what was recorded until the end, but for the last second", o.input);
	return STATUS_OK;
}

const struct command cmd_recover = {
	.name = "recover",
	.summary = "Make a profile of a recording that was killed",
	.arguments = "[options]",
	.notes = "What was recorded is in FILE.recording until then, where all commands find it.\n"
		 "An older FILE becomes FILE.old.\n",
	.options = options,
	.run = run,
};
