/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk export: a profile in another tool's format. */
#include "base/cleanup.h"
#include "cli/open.h"
#include "cli/output.h"
#include "export/export.h"

struct options {
	const char *input, *output, *format;
	bool list;
	struct export_options export;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "write there (default: standard output)"},
	{'f', "format", OPTION_TEXT, offsetof(struct options, format), "NAME", "the format (default folded)"},
	{0, "list", OPTION_FLAG, offsetof(struct options, list), NULL, "list the formats"},
	{0, "pid", OPTION_FLAG, offsetof(struct options, export.pid), NULL, "folded: stacks begin with comm-pid"},
	{0, "tid", OPTION_FLAG, offsetof(struct options, export.tid), NULL, "folded: stacks begin with comm-pid/tid"},
	{0, "annotate", OPTION_FLAG, offsetof(struct options, export.annotate), NULL,
	 "folded: kernel functions end in _[k]"},
	{0},
};

static int list_formats(void)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		printf("%-10s %s\n", f->name, f->sentence);
	return STATUS_OK;
}

static int refuse_format(const struct command *self, const char *name)
{
	const char *names[16], *near;
	size_t nr = 0;

	for (const struct export_format *f = export_formats; f->name && nr < 15; f++)
		names[nr++] = f->name;
	names[nr] = NULL;
	near = suggest(name, names);
	if (near)
		return say_usage(self, "unknown format '%s'; did you mean '%s'?", name, near);
	return say_usage(self, "unknown format '%s'; --list shows them", name);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE, .format = "folded"};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	const struct export_format *format;
	struct output out;
	int status;

	if (!command_options(self, argc, argv, &o, NULL, &status))
		return status;
	if (o.list)
		return list_formats();
	format = export_find(o.format);
	if (!format)
		return refuse_format(self, o.format);
	status = open_profile(&p, o.input, true);
	if (!status)
		status = output_open(&out, o.output, false);
	return status ? status : output_close(&out, format->write(out.file, p, &o.export));
}

const struct command cmd_export = {
	.name = "export",
	.summary = "A profile in another tool's format",
	.arguments = "[options]",
	.options = options,
	.run = run,
};
