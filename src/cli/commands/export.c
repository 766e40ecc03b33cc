/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk export: write a profile in another tool's format. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/view/by.h"
#include "cli/view/filter.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "export/export.h"

struct options {
	const char *input, *output, *format, *wakers;
	bool list, schema, inlined;
	struct export_options export;
	struct filter_options filter;
	struct time_base_choice kind;
	struct text_list by;
};

static const char *format_name(size_t i)
{
	return export_formats[i].name;
}

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "write there (default: standard output)"},
	{'f', "format", OPTION_TEXT, offsetof(struct options, format), "NAME",
	 "the format (default: by FILE's suffix; folded)", .choice = format_name},
	{0, "list", OPTION_FLAG, offsetof(struct options, list), NULL, "list the formats and their suffixes"},
	{0, "schema", OPTION_FLAG, offsetof(struct options, schema), NULL, "describe jsonl, in JSON Schema"},
	{0, "show-pid", OPTION_FLAG, offsetof(struct options, export.pid), NULL, "folded: stacks begin with comm-pid"},
	{0, "show-tid", OPTION_FLAG, offsetof(struct options, export.tid), NULL,
	 "folded: stacks begin with comm-pid/tid"},
	{0, "annotate", OPTION_FLAG, offsetof(struct options, export.annotate), NULL,
	 "folded: kernel functions end in _[k]"},
	{0, "reverse", OPTION_FLAG, offsetof(struct options, export.reverse), NULL,
	 "folded: callees before their callers"},
	{0, "deferred", OPTION_FLAG, offsetof(struct options, export.deferred), NULL,
	 "perf: deferred user stacks, as of Linux 6.19"},
	BY_OPTION(struct options, by, "folded: stacks begin with service, unit, ..."),
	WAKERS_OPTION(struct options, wakers, "folded: up to N wakers of off-CPU intervals"),
	INLINE_OPTIONS(struct options, inlined),
	TIME_BASE_OPTIONS(struct options, kind),
	WEIGHT_OPTION(struct options, kind, WEIGHT_TEXT),
	FILTER_OPTIONS(struct options, filter),
	{0},
};

static int list_formats(void)
{
	for (const struct export_format *f = export_formats; f->name; f++) {
		printf("%-10s %s (.%s", f->name, f->sentence, f->suffixes[0]);
		for (size_t i = 1; i < EXPORT_SUFFIXES && f->suffixes[i]; i++)
			printf(", .%s", f->suffixes[i]);
		puts(")");
	}
	return STATUS_OK;
}

/* Write "folded, script, ..." to @ret. Returns the format that @name probably means, or NULL. */
static const char *name_formats(char *ret, size_t size, const char *name)
{
	const char *names[32];
	size_t nr = 0, len = 0;

	for (const struct export_format *f = export_formats; f->name && nr < 31; f++) {
		names[nr++] = f->name;
		len += snprintf(ret + len, len < size ? size - len : 0, "%s%s", nr > 1 ? ", " : "", f->name);
	}
	names[nr] = NULL;
	return suggest(name, names);
}

static void refuse_format(const struct command *self, const char *name)
{
	char list[256];
	const char *near = name_formats(list, sizeof(list), name);

	if (near)
		say_usage(self, "unknown format '%s'; did you mean '%s'? There are %s", name, near, list);
	else
		say_usage(self, "unknown format '%s'; there are %s", name, list);
}

static void refuse_suffix(const struct command *self, const char *path)
{
	char list[256];

	name_formats(list, sizeof(list), "");
	say_usage(self, "the end of '%s' tells no format; name one with --format: %s", path, list);
}

static bool to_stdout(const struct options *o)
{
	return !o->output || !strcmp(o->output, "-");
}

/* Return the format, or NULL after printing an error. */
static const struct export_format *choose(const struct command *self, const struct options *o)
{
	const struct export_format *f;

	if (o->format)
		f = export_find(o->format);
	else
		f = to_stdout(o) ? export_find("folded") : export_find_suffix(o->output);
	if (!f && o->format)
		refuse_format(self, o->format);
	else if (!f)
		refuse_suffix(self, o->output);
	if (!f || !f->binary || !to_stdout(o) || !isatty(STDOUT_FILENO))
		return f;
	say_usage(self, "%s is not for terminals; name a file with --output", f->name);
	return NULL;
}

/* Does the format have a place for what the options ask for? */
static int check_format(const struct command *self, const struct options *o, const struct export_format *format,
			enum time_base kind)
{
	if (o->wakers && (format->write != folded_write || kind_counts(kind)))
		return say_usage(self, "--wakers is for folded stacks of off-CPU intervals");
	if (o->kind.event && !format->events)
		return say_usage(self, "%s has no place for events; --event is for folded stacks and for script",
				 format->name);
	if (o->kind.weight && format->write != folded_write)
		return say_usage(self, "--weight is for folded stacks of an event");
	if (o->by.nr && format->write != folded_write)
		return say_usage(self, "--by is for folded stacks; pprof, OTLP and jsonl have all labels");
	if (o->export.deferred && format->write != perf_write)
		return say_usage(self, "--deferred is for the format perf");
	return STATUS_OK;
}

/* Say what the format had no place for. */
static void report_dropped(const struct export_format *format, const struct dusk_profile *p,
			   const struct dusk_profile *seen)
{
	if (format->dropped)
		say("%s has no place for %s", format->name, format->dropped);
	if (p->nr_occurrences && !format->events)
		say("%s has no place for events, of which %" PRIu64 " have occurred; dusk script shows them",
		    format->name, p->nr_occurrences);
	if (format->dropped_offcpu && time_base_has_any(seen, DUSK_OFF_CPU))
		say("of off-CPU intervals %s has no place for %s", format->name, format->dropped_offcpu);
}

static int export(const struct command *self, struct options *o, const struct export_format *format, char *const *argv)
{
	_cleanup_(profile_freep) struct dusk_profile *whole = NULL;
	_cleanup_(filtered_done) struct filtered of_event = {0}, seen = {0};
	const struct dusk_profile *p;
	struct filter filter = {.trim = format->write != perf_write &&
					format->write != script_write}; /* perf has all */
	struct needs needs = {.filter = &filter, .keys = KEY_COMM | (o->export.pid || o->export.tid ? KEY_PID : 0)};
	struct output out;
	int status = time_base_choose(self, &o->kind, &o->filter, o->wakers ? TIME_BASE_OFF_CPU : format->usual,
				      &filter.kind);

	if (!status)
		status = filter_choose(self, &o->filter, &filter);
	if (format->write == perf_write) /* it has no others */
		filter.hide_native = false;
	if (!status)
		status = check_format(self, o, format, filter.kind);
	if (!status)
		status = by_choose(self, &o->by, &o->export.by_label);
	needs.whole = o->wakers || !(format->write == folded_write || format->write == nested_set_write);
	for (size_t i = 0; i < o->export.by_label.nr; i++)
		needs.keys |= key_of_label(o->export.by_label.v[i]);
	if (!status)
		status = open_profile_for(&whole, o->input, true, o->inlined, &needs);
	p = whole;
	if (!status)
		status = wakers_choose(&filter.wakers, o->wakers, p, o->input);
	if (!status)
		status = kind_settle(&of_event, &p, o->input, &o->kind, &filter.kind);
	if (!status) {
		filter.marks = format->write == folded_write && filter.kind == TIME_BASE_WALL;
		o->export.by = kind_counts(filter.kind) ? BY_COUNT : BY_TIME;
		status = filter_apply(&seen, p, &filter);
	}
	if (!status)
		status = filter_check_empty(&seen, p, o->input, &o->filter, &o->kind, argv);
	if (!status)
		status = output_open(&out, o->output, false);
	if (!status)
		status = output_close(&out, format->write(out.file, &seen.profile, &o->export));
	if (!status)
		report_dropped(format, p, &seen.profile);
	return status;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.inlined = true};
	const struct export_format *format;
	int status = STATUS_OK;

	if (!command_profile(self, argc, argv, &o, &o.input, &status))
		return status;
	if (o.list) {
		status = list_formats();
	} else if (o.schema) {
		jsonl_schema(stdout);
	} else {
		format = choose(self, &o);
		status = format ? export(self, &o, format, argv) : STATUS_USAGE;
	}
	options_done(options, &o);
	return status;
}

const struct command cmd_export = {
	.name = "export",
	.summary = "A profile in another tool's format",
	.arguments = "[options] [FILE]",
	.options = options,
	.run = run,
};
