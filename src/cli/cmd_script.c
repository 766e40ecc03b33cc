/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk script: print each sample, off-CPU interval and occurrence of an event with its stack, as perf script does. */
#include "base/cleanup.h"
#include "cli/filter.h"
#include "cli/load_profile.h"
#include "cli/output.h"
#include "export/export.h"

struct options {
	const char *input;
	bool inlined;
	struct export_options how;
	struct filter filter;
	struct time_base_choice kind;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	TIME_BASE_OPTIONS(struct options, kind),
	FILTER_OPTIONS(struct options, filter),
	INLINE_OPTIONS(struct options, inlined),
	{0, "methods", OPTION_FLAG, offsetof(struct options, how.methods), NULL, "how each frame's caller was found"},
	{0},
};

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE, .inlined = true};
	_cleanup_(profile_freep) struct dusk_profile *whole = NULL;
	_cleanup_(filtered_done) struct filtered of_event = {0}, seen = {0};
	const struct dusk_profile *p;
	struct output out;
	int status;

	if (!command_options(self, argc, argv, &o, NULL, &status))
		return status;
	status = time_base_choose(self, &o.kind, TIME_BASE_WALL, &o.filter.kind);
	if (!status)
		status = filter_check(self, &o.filter);
	if (!status)
		status = open_profile(&whole, o.input, true, o.inlined);
	p = whole;
	if (!status)
		status = kind_settle(&of_event, &p, o.input, &o.kind, &o.filter.kind);
	if (!status)
		status = filter_apply(&seen, p, &o.filter);
	if (!status)
		status = output_open(&out, NULL, true);
	return status ? status : output_close(&out, script_write(out.file, &seen.profile, &o.how));
}

const struct command cmd_script = {
	.name = "script",
	.summary = "Each sample with its stack, in the text format of perf script",
	.arguments = "[options]",
	.notes = "stackcollapse-perf.pl, speedscope and the Firefox Profiler read it.\n",
	.options = options,
	.run = run,
};
