/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk script: print each sample, off-CPU interval and occurrence of an event with its stack, as perf script does. */
#include "base/cleanup.h"
#include "cli/view/filter.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "export/export.h"

struct options {
	const char *input;
	bool inlined;
	struct export_options how;
	struct filter_options filter;
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

static int print(const struct command *self, const struct options *o, char *const *argv)
{
	_cleanup_(profile_freep) struct dusk_profile *whole = NULL;
	_cleanup_(filtered_done) struct filtered of_event = {0}, seen = {0};
	const struct dusk_profile *p;
	struct filter filter = {0};
	const struct needs needs = {.filter = &filter, .whole = true};
	struct output out;
	int status = time_base_choose(self, &o->kind, &o->filter, TIME_BASE_WALL, &filter.kind);

	if (!status)
		status = filter_choose(self, &o->filter, &filter);
	if (!status)
		status = open_profile_for(&whole, o->input, true, o->inlined, &needs);
	p = whole;
	if (!status)
		status = kind_settle(&of_event, &p, o->input, &o->kind, &filter.kind);
	if (!status)
		status = filter_apply(&seen, p, &filter);
	if (!status)
		status = filter_check_empty(&seen, p, o->input, &o->filter, &o->kind, argv);
	if (!status)
		status = output_open(&out, NULL, true);
	return status ? status : output_close(&out, script_write(out.file, &seen.profile, &o->how));
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.inlined = true};
	int status;

	if (!command_profile(self, argc, argv, &o, &o.input, &status))
		return status;
	status = print(self, &o, argv);
	options_done(options, &o);
	return status;
}

const struct command cmd_script = {
	.name = "script",
	.summary = "Each sample with its stack, in the text format of perf script",
	.arguments = "[options] [FILE]",
	.notes = "stackcollapse-perf.pl, speedscope and the Firefox Profiler read it.\n",
	.options = options,
	.run = run,
};
