/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk diff: show which functions or stacks take more or less than before. */
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/view/filter.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "report/model/program.h"
#include "report/show/show.h"
#include "report/text.h"

#define NO_LIMIT (-1.0)

struct options {
	bool full_names, stacks, total, absolute, inlined, csv, json;
	struct time_base_choice kind;
	struct filter_options filter;
	const char *before;
	uint32_t limit;
	double percent_limit;
};

static const struct option options[] = {
	{0, "stacks", OPTION_FLAG, offsetof(struct options, stacks), NULL, "by stack (default: by function)"},
	{0, "total", OPTION_FLAG, offsetof(struct options, total), NULL, "including all that the functions called"},
	{0, "absolute", OPTION_FLAG, offsetof(struct options, absolute), NULL, "time (default: share of all)"},
	TIME_BASE_OPTIONS(struct options, kind),
	WEIGHT_OPTION(struct options, kind, WEIGHT_TEXT),
	FILTER_OPTIONS(struct options, filter),
	BEFORE_OPTION(struct options, before),
	{0, "full-names", OPTION_FLAG, offsetof(struct options, full_names), NULL, "do not shorten long names"},
	INLINE_OPTIONS(struct options, inlined),
	{'l', "limit", OPTION_NUMBER, offsetof(struct options, limit), "N", "at most N rows", 1, UINT32_MAX},
	{0, "percent-limit", OPTION_PERCENT, offsetof(struct options, percent_limit), "P",
	 "leave out changes of less than P percent"},
	{0, "csv", OPTION_FLAG, offsetof(struct options, csv), NULL, "comma-separated values"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line"},
	{0},
};

struct side {
	const char *path;
	struct dusk_profile *profile;
	struct filtered of_event, seen;
	uint32_t program; /* its module, or 0 */
	bool is_other;	  /* than before, with which it has no function in common */
};

/* Both profiles use the same time base; the default is that of the profile BEFORE. */
static int choose_samples(const struct command *self, struct side sides[2], const struct options *o,
			  enum time_base *kind, char *const *argv)
{
	struct filter f = {.trim = true};
	const char *pattern;
	int status = filter_choose(self, &o->filter, &f);

	f.kind = *kind = time_base_of(sides[BEFORE].profile, *kind);
	f.marks = o->stacks && *kind == TIME_BASE_WALL;
	for (int i = BEFORE; i <= AFTER && !status; i++) {
		const struct dusk_profile *p = sides[i].profile;
		struct filter of_side = f;

		if (i == BEFORE && o->before)
			status = filter_before(self, o->before, &pattern, &of_side);
		status = status ?: kind_settle(&sides[i].of_event, &p, sides[i].path, &o->kind, kind);
		if (!status)
			status = filter_apply(&sides[i].seen, p, &of_side);
	}
	if (status || sides[AFTER].seen.profile.nr_samples)
		return status;
	return filter_check_empty(&sides[BEFORE].seen, sides[BEFORE].profile, sides[BEFORE].path, &o->filter, &o->kind,
				  argv);
}

static void side_done(struct side *s)
{
	filtered_done(&s->seen);
	filtered_done(&s->of_event);
	dusk_profile_free(s->profile);
}

static void show_side(FILE *out, const struct diff *d, const struct side *s, int which, enum time_base kind)
{
	const struct amount *cpu = &d->selected[which][DUSK_CPU], *off = &d->selected[which][DUSK_OFF_CPU];

	fprintf(out, "# %-10s ", which == BEFORE ? "before:" : "after:");
	text_write(out, s->path, TEXT_TERMINAL);
	if (time_base_has(kind, DUSK_CPU))
		fprintf(out, ": %" PRIu64 " samples, %.2f s of CPU time", cpu->count, cpu->ns / 1e9);
	if (time_base_has(kind, DUSK_OFF_CPU))
		fprintf(out, "%s %" PRIu64 " off-CPU intervals, %.2f s off CPU", kind == TIME_BASE_WALL ? "," : ":",
			off->count, off->ns / 1e9);
	if (kind == TIME_BASE_EVENT) {
		fprintf(out, ": %" PRIu64 " times ", cpu->count);
		text_write(out, s->seen.profile.events[0].name, TEXT_TERMINAL);
	}
	putc('\n', out);
}

/*
 * A command that was recorded under another name is the same program still: compare ./old with ./new. But if they have no
 * function in common they are two programs. Returns 0 or -ENOMEM.
 */
static int match_programs(struct side sides[2], struct diff_options *d)
{
	bool same = true;
	int err = 0;

	for (int i = BEFORE; i <= AFTER && !err; i++) {
		const char *command = dusk_profile_setting(sides[i].profile, "command");

		if (!command || !*command) /* of the machine, not of one program */
			return 0;
		err = program_of(&sides[i].program, &sides[i].seen.profile);
	}
	if (err || !sides[BEFORE].program || !sides[AFTER].program)
		return err;
	for (int i = BEFORE; i <= AFTER; i++)
		d->program[i] = program_name(sides[i].profile, sides[i].program);
	if (strcmp(d->program[BEFORE], d->program[AFTER]) != 0)
		err = program_shares(&same, sides[BEFORE].profile, sides[BEFORE].program, sides[AFTER].profile,
				     sides[AFTER].program);
	else
		d->program[BEFORE] = NULL; /* they are, by their name */
	sides[AFTER].is_other = !same;
	return err;
}

static void show_programs(FILE *out, const struct diff_options *d, bool are_others)
{
	if (!d->program[BEFORE])
		return;
	fprintf(out, "# %-10s ", "program:");
	text_write(out, d->program[BEFORE], TEXT_TERMINAL);
	fputs(are_others ? " before has no function of " : " before, ", out);
	text_write(out, d->program[AFTER], TEXT_TERMINAL);
	fputs(are_others ? " after: they are compared as two programs\n"
			 : " after: compared as one program, named as after\n",
	      out);
}

static void show_header(FILE *out, const struct diff *d, const struct side sides[2], enum time_base kind,
			const struct diff_options *matched)
{
	const char *event[2];

	for (int i = BEFORE; i <= AFTER; i++) {
		show_side(out, d, &sides[i], i, kind);
		event[i] = dusk_profile_setting(sides[i].profile, "event");
	}
	if (time_base_has(kind, DUSK_CPU) && event[BEFORE] && event[AFTER] && strcmp(event[BEFORE], event[AFTER])) {
		fprintf(out, "# %-10s ", "event:");
		text_write(out, event[BEFORE], TEXT_TERMINAL);
		fputs(" before, ", out);
		text_write(out, event[AFTER], TEXT_TERMINAL);
		fputs(" after: they do not count the same\n", out);
	}
	show_programs(out, matched, sides[AFTER].is_other);
	if (d->options.by == BY_COUNT)
		fputs("# marks:     * ** *** on a row say: chance alone would do this in 5, 1, 0.1 % of the cases\n",
		      out);
	fputs("#\n", out);
}

static int choose(const struct command *self, const struct options *o, struct show_options *show)
{
	double usual = o->csv || o->json ? 0 : 0.05;

	*show = (struct show_options){
		.form = o->csv	  ? SHOW_CSV
			: o->json ? SHOW_NDJSON
				  : SHOW_TEXT,
		.percent_limit = o->percent_limit == NO_LIMIT ? usual : o->percent_limit,
		.max_rows = o->limit,
		.full_names = o->full_names,
	};
	if (o->csv && o->json)
		return say_usage(self, "--csv and --json exclude each other");
	if (o->stacks && o->total)
		return say_usage(self, "--stacks and --total exclude each other: a stack calls nothing");
	return STATUS_OK;
}

static int open_side(const struct command *self, const struct options *o, struct side *s, int which,
		     enum time_base kind)
{
	struct filter filter = {.kind = kind};
	const struct needs needs = {.filter = &filter};
	const char *pattern;
	int status = filter_choose(self, &o->filter, &filter);

	if (!status && which == BEFORE && o->before)
		status = filter_before(self, o->before, &pattern, &filter);
	return status ? status : open_profile_for(&s->profile, s->path, true, o->inlined, &needs);
}

static int compare(const struct command *self, const struct options *o, struct side sides[2], char *const *argv)
{
	struct diff_options d = {o->stacks, o->total, o->absolute, BY_COUNT}, matched;
	_cleanup_(diff_freep) struct diff *diff = NULL;
	struct show_options show;
	struct output out;
	enum time_base kind;
	int status = choose(self, o, &show), err;

	if (!status)
		status = time_base_choose(self, &o->kind, &o->filter, TIME_BASE_USUAL, &kind);
	for (int i = BEFORE; i <= AFTER && !status; i++)
		status = open_side(self, o, &sides[i], i, i ? time_base_of(sides[BEFORE].profile, kind) : kind);
	if (!status)
		status = choose_samples(self, sides, o, &kind, argv);
	if (status)
		return status;
	d.by = kind_counts(kind) ? BY_COUNT : BY_TIME;
	err = match_programs(sides, &d);
	matched = d;
	if (sides[AFTER].is_other)
		d.program[BEFORE] = NULL;
	err = err ?: diff_new(&diff, &sides[BEFORE].seen.profile, &sides[AFTER].seen.profile, &d);
	if (err) {
		say("cannot compare %s and %s: %s", sides[BEFORE].path, sides[AFTER].path, strerror(-err));
		return STATUS_FAILED;
	}
	status = output_open(&out, NULL, show.form == SHOW_TEXT);
	if (status)
		return status;
	show.color = out.color;
	show.width = out.width;
	if (show.form == SHOW_TEXT)
		show_header(out.file, diff, sides, kind, &matched);
	return output_close(&out, diff_show(out.file, diff, &show));
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.percent_limit = NO_LIMIT, .inlined = true};
	const char *words[2] = {DEFAULT_PROFILE ".old", DEFAULT_PROFILE};
	struct side sides[2] = {0};
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, words, 2, &nr, &status))
		return status;
	for (int i = BEFORE; i <= AFTER; i++)
		sides[i].path = words[i];
	status = compare(self, &o, sides, argv);
	for (int i = BEFORE; i <= AFTER; i++)
		side_done(&sides[i]);
	options_done(options, &o);
	return status;
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "Which functions take more or less than before",
	.arguments = "[options] [BEFORE [AFTER]]",
	.notes = "BEFORE is " DEFAULT_PROFILE ".old and AFTER " DEFAULT_PROFILE " if they are not named.\n",
	.options = options,
	.run = run,
};
