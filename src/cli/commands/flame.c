/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk flame: write a profile, or two to compare, as a page for a browser. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/view/by.h"
#include "cli/view/filter.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "report/flame/flame.h"

#define SIDES 2
#define MAX_THREADS 10000 /* of more, nobody looks at each */

struct options {
	const char *input, *output, *title, *wakers;
	bool inlined, data;
	struct filter_options filter;
	const char *before;
	struct time_base_choice kind;
	struct text_list by;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE", "write there (default flame.html)"},
	{0, "title", OPTION_TEXT, offsetof(struct options, title), "TEXT",
	 "heading of the page (default: the command)"},
	{0, "data", OPTION_FLAG, offsetof(struct options, data), NULL, "only the data of the page, as gzip"},
	WAKERS_OPTION(struct options, wakers, "up to N wakers of each off-CPU interval"),
	TIME_BASE_OPTIONS(struct options, kind),
	WEIGHT_OPTION(struct options, kind, WEIGHT_TEXT),
	BY_OPTION(struct options, by, "above threads, their services, units, pods, ..."),
	FILTER_OPTIONS(struct options, filter),
	BEFORE_OPTION(struct options, before),
	INLINE_OPTIONS(struct options, inlined),
	{0},
};

struct side {
	struct dusk_profile *profile;
	struct filtered of_event, seen;
	unsigned int others;
};

static void side_done(struct side *s)
{
	filtered_done(&s->seen);
	filtered_done(&s->of_event);
	dusk_profile_free(s->profile);
}

static const char *title_of_one(const struct dusk_profile *p, const char *path)
{
	const char *command = dusk_profile_setting(p, "command"), *host = dusk_profile_setting(p, "hostname");

	if (command && *command)
		return command;
	return host && *host ? host : path;
}

static int write_page(const struct command *self, const struct options *o, const char *const *path, uint32_t nr,
		      struct side *sides)
{
	struct flame_page page = {.title = o->title, .nr = nr};
	_cleanup_(freep) char *both = NULL;
	struct output out;
	int status;

	for (uint32_t i = 0; i < nr; i++) {
		page.profile[i] = &sides[i].seen.profile;
		page.name[i] = path[i];
		page.others |= sides[i].others;
	}
	if (!page.title && nr == SIDES && asprintf(&both, "%s → %s", path[0], path[1]) < 0)
		both = NULL;
	if (!page.title)
		page.title = both ? both : title_of_one(sides[0].profile, path[0]);
	status = by_choose(self, &o->by, &page.by);
	if (status)
		return status;
	status = output_open(&out, o->output, false);
	if (!status)
		status = output_close(&out, (o->data ? flame_write_data : flame_write)(out.file, &page));
	if (!status && out.path && !o->data)
		say("wrote %s; open it in a browser", out.path);
	return status;
}

/* What was chosen, or an event if nothing else was recorded. */
static enum time_base kind_for(const struct dusk_profile *p, enum time_base chosen)
{
	return chosen == TIME_BASE_WALL && !p->nr_samples && p->nr_occurrences ? TIME_BASE_EVENT : chosen;
}

/* What there is of @p that is not of @kind, as struct flame_page has it. */
static unsigned int others_of(const struct dusk_profile *p, enum time_base kind)
{
	unsigned int others = 0;

	for (enum dusk_source i = DUSK_CPU; i <= DUSK_OFF_CPU; i++)
		if (!time_base_has(kind, i) && time_base_has_any(p, i))
			others |= 1U << i;
	return others;
}

static void note_alike(const struct dusk_profile *p)
{
	if (dusk_profile_setting(p, "threads"))
		say("there are more than %d threads: those of one name, cgroup, service and version are shown as one; "
		    "a shorter time, or --pid, tells them apart",
		    MAX_THREADS);
}

/* @before: what the first of two has instead, or NULL. */
static int open_side(const struct command *self, struct side *s, const struct options *o, enum time_base kind,
		     const char *path, const char *before)
{
	struct filter filter = {.trim = true, .marks = true, .idle_marks = true, .kind = kind};
	const struct dusk_profile *p;
	const char *pattern;
	struct needs needs = {.filter = &filter,
			      .keys = KEY_COMM | KEY_PID | KEY_TIME,
			      .whole = o->wakers,
			      .max_threads = MAX_THREADS};
	struct thread_labels by;
	int status = filter_choose(self, &o->filter, &filter);

	if (!status)
		status = by_choose(self, &o->by, &by);
	for (size_t i = 0; i < by.nr; i++)
		needs.keys |= key_of_label(by.v[i]);
	if (!status && before)
		status = filter_before(self, before, &pattern, &filter);
	if (!status)
		status = open_profile_for(&s->profile, path, true, o->inlined, &needs);
	if (status)
		return status;
	p = s->profile;
	note_alike(p);
	s->others = o->data ? others_of(p, kind) : 0; /* a file cannot ask for them */
	filter.kind = kind_for(p, kind);
	status = wakers_choose(&filter.wakers, o->wakers, p, path);
	if (!status)
		status = kind_settle(&s->of_event, &p, path, &o->kind, &filter.kind);
	return status ? status : filter_apply(&s->seen, p, &filter);
}

/* A selection may leave nothing of one side. */
static int check_empty(const struct side *sides, size_t nr, const char *const *path, const struct options *o,
		       char *const *argv)
{
	for (size_t i = 1; i < nr; i++)
		if (sides[i].seen.profile.nr_samples)
			return STATUS_OK;
	return filter_check_empty(&sides[0].seen, sides[0].profile, path[0], &o->filter, &o->kind, argv);
}

static int make_page(const struct command *self, const struct options *o, const char *const *path, size_t nr,
		     char *const *argv)
{
	struct side sides[SIDES] = {0};
	enum time_base kind; /* all time, since the page has a switch, unless one is chosen */
	int status = time_base_choose(self, &o->kind, &o->filter, TIME_BASE_WALL, &kind);

	if (!status && o->before && nr < SIDES)
		status = say_usage(self, "--before is of the first of two profiles");
	for (size_t i = 0; i < nr && !status; i++)
		status = open_side(self, &sides[i], o, kind, path[i], i ? NULL : o->before);
	if (!status)
		status = check_empty(sides, nr, path, o, argv);
	if (!status)
		status = write_page(self, o, path, nr, sides);
	for (size_t i = 0; i < nr; i++)
		side_done(&sides[i]);
	return status;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.inlined = true};
	const char *path[SIDES] = {NULL};
	int status;
	size_t nr;

	if (!command_words(self, argc, argv, &o, path, SIDES, &nr, &status))
		return status;
	if (!o.output && !o.data)
		o.output = "flame.html";
	if (nr && o.input) {
		status = say_usage(self, "either -i, or a profile, or two to compare");
	} else {
		if (!nr)
			path[nr++] = o.input ? o.input : DEFAULT_PROFILE;
		status = make_page(self, &o, path, nr, argv);
	}
	options_done(options, &o);
	return status;
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "A profile as a page for a browser: flame graph, time, search, comparison",
	.arguments = "[options] [FILE | BEFORE AFTER]",
	.notes = "FILE is the profile, as with -i; BEFORE and AFTER are two to compare.\n",
	.options = options,
	.run = run,
};
