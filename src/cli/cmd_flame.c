/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk flame: write a profile, or two to compare, as a page for a browser. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/filter.h"
#include "cli/load_profile.h"
#include "cli/output.h"
#include "report/flame/flame.h"

#define SIDES 2

struct options {
	const char *input, *output, *title, *wakers;
	bool inlined;
	struct filter filter;
	struct time_base_choice kind;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE", "write there (default flame.html)"},
	{0, "title", OPTION_TEXT, offsetof(struct options, title), "TEXT",
	 "heading of the page (default: the command)"},
	WAKERS_OPTION(struct options, wakers, "up to N wakers of each off-CPU interval"),
	{0, "event", OPTION_TEXT, offsetof(struct options, kind.event), "NAME",
	 "occurrences of this event of tracefs instead"},
	FILTER_OPTIONS(struct options, filter),
	INLINE_OPTIONS(struct options, inlined),
	{0},
};

struct side {
	struct dusk_profile *profile;
	struct filtered of_event, seen;
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

static int write_page(const struct options *o, const char *const *path, uint32_t nr, struct side *sides)
{
	struct flame_page page = {.title = o->title, .nr = nr};
	_cleanup_(freep) char *both = NULL;
	struct output out;
	int status;

	for (uint32_t i = 0; i < nr; i++) {
		page.profile[i] = &sides[i].seen.profile;
		page.name[i] = path[i];
	}
	if (!page.title && nr == SIDES && asprintf(&both, "%s → %s", path[0], path[1]) < 0)
		both = NULL;
	if (!page.title)
		page.title = both ? both : title_of_one(sides[0].profile, path[0]);
	status = output_open(&out, o->output, false);
	if (!status)
		status = output_close(&out, flame_write(out.file, &page));
	if (!status && out.path)
		say("wrote %s; open it in a browser", out.path);
	return status;
}

/* All time, since the page has a switch for the kinds; or an event if one was chosen or nothing else was recorded. */
static enum time_base kind_for(const struct dusk_profile *p, const struct options *o)
{
	return o->kind.event || (!p->nr_samples && p->nr_occurrences) ? TIME_BASE_EVENT : TIME_BASE_WALL;
}

static int open_side(struct side *s, const struct options *o, const char *path)
{
	struct filter filter = o->filter;
	const struct dusk_profile *p;
	int status = open_profile(&s->profile, path, true, o->inlined);

	if (status)
		return status;
	p = s->profile;
	filter.kind = kind_for(p, o);
	status = wakers_choose(&filter.wakers, o->wakers, p, path);
	if (!status)
		status = kind_settle(&s->of_event, &p, path, &o->kind, &filter.kind);
	return status ? status : filter_apply(&s->seen, p, &filter);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {
		.output = "flame.html",
		.inlined = true,
		.filter = {.trim = true, .marks = true},
	};
	const char *path[SIDES] = {NULL};
	struct side sides[SIDES] = {0};
	int status;
	size_t nr;

	if (!command_words(self, argc, argv, &o, path, SIDES, &nr, &status))
		return status;
	if (nr == 1)
		return say_usage(self, "one profile is named by -i; without it, two are compared");
	if (nr && o.input)
		return say_usage(self, "either -i, or two profiles to compare");
	if (!nr) {
		path[0] = o.input ? o.input : DEFAULT_PROFILE;
		nr = 1;
	}
	status = filter_check(self, &o.filter);
	for (size_t i = 0; i < nr && !status; i++)
		status = open_side(&sides[i], &o, path[i]);
	if (!status)
		status = write_page(&o, path, nr, sides);
	for (size_t i = 0; i < nr; i++)
		side_done(&sides[i]);
	return status;
}

const struct command cmd_flame = {
	.name = "flame",
	.summary = "A profile as a page for a browser: flame graph, time, search, comparison",
	.arguments = "[options] [BEFORE AFTER]",
	.notes = "BEFORE and AFTER are two profiles to compare, instead of -i.\n",
	.options = options,
	.run = run,
};
