/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk flame: a profile as a flame graph, in one HTML file. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/filter.h"
#include "cli/open.h"
#include "cli/output.h"
#include "report/flame.h"

struct options {
	const char *input, *output, *title;
	bool inlined;
	struct filter filter;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "write there (default flame.html)"},
	{0, "title", OPTION_TEXT, offsetof(struct options, title), "TEXT",
	 "heads the page (default: the command recorded)"},
	FILTER_OPTIONS(struct options, filter),
	INLINE_OPTIONS(struct options, inlined),
	{0},
};

static const char *default_title(const struct dusk_profile *p, const char *path)
{
	const char *command = dusk_profile_setting(p, "command"), *host = dusk_profile_setting(p, "hostname");

	if (command && *command)
		return command;
	return host && *host ? host : path;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE, .output = "flame.html", .inlined = true};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(filtered_done) struct filtered seen = {0};
	struct output out;
	int status;

	if (!command_options(self, argc, argv, &o, NULL, &status))
		return status;
	status = filter_check(self, &o.filter);
	if (!status)
		status = open_profile(&p, o.input, true, o.inlined);
	if (!status)
		status = filter_apply(&seen, p, &o.filter);
	if (!status)
		status = output_open(&out, o.output, false);
	if (!status)
		status = output_close(&out, flame_write(out.file, &seen.profile,
							o.title ? o.title : default_title(p, o.input)));
	if (!status && out.path)
		say("wrote %s; open it in a browser", out.path);
	return status;
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "A profile as a flame graph: one HTML file that needs nothing else",
	.arguments = "[options]",
	.options = options,
	.run = run,
};
