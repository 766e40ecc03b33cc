/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which options choose stacks, the same in each command that shows some? */
#pragma once
#include "cli/command.h"
#include "report/model/filter.h"

/* Rows of an option table for the struct filter @member of @type. */
#define FILTER_OPTIONS(type, member)                                            \
	{0,	      "focus",                                                  \
	 OPTION_TEXT, offsetof(type, member.focus),                             \
	 "REGEX",     "only stacks with a function or module like this"},       \
		{0,	      "ignore",                                         \
		 OPTION_TEXT, offsetof(type, member.ignore),                    \
		 "REGEX",     "no stacks with a function or module like this"}, \
		{0,	      "hide",                                           \
		 OPTION_TEXT, offsetof(type, member.hide),                      \
		 "REGEX",     "leave such functions out of their stacks"}

/* Which samples: rows of an option table for the struct time_base_choice @member of @type. */
struct time_base_choice {
	bool cpu, off_cpu, wall;
	const char *event;
};

#define TIME_BASE_OPTIONS(type, member)                                                                  \
	{0, "cpu", OPTION_FLAG, offsetof(type, member.cpu), NULL, "only time on a CPU: samples"},        \
		{0, "off-cpu", OPTION_FLAG, offsetof(type, member.off_cpu), NULL, "only time off CPU"},  \
		{0, "wall", OPTION_FLAG, offsetof(type, member.wall), NULL, "all time, on and off CPU"}, \
		{0,	      "event",                                                                   \
		 OPTION_TEXT, offsetof(type, member.event),                                              \
		 "NAME",      "only occurrences of this event of tracefs"}

/* How many wakers in a row are shown: a row of an option table for const char *@member of @type. */
#define WAKERS_OPTION(type, member, text) \
	{0, "wakers", OPTION_CHOICE, offsetof(type, member), "[N]", text, .choice = wakers_choice}

const char *wakers_choice(size_t i);

/* Their number, to @ret; 0: none are asked for. STATUS_FAILED: @p has none, and that is said. */
int wakers_choose(uint32_t *ret, const char *wakers, const struct dusk_profile *p, const char *path);

/* The kind that was chosen, to @ret; @usual: none was. STATUS_OK; or STATUS_USAGE, and all is said. */
int time_base_choose(const struct command *self, const struct time_base_choice *c, enum time_base usual,
		     enum time_base *ret);

/*
 * What @kind, which time_base_choose() gave, means for @p, the profile at @path, to @kind. If that is TIME_BASE_EVENT,
 * @of_event becomes the profile of the event that was chosen, or is the only one, and stands for @p from then on; it is
 * to be freed with filtered_done() in any case, and all-zero before. STATUS_FAILED: there is no such event, and that is
 * said.
 */
int kind_settle(struct filtered *of_event, const struct dusk_profile **p, const char *path,
		const struct time_base_choice *c, enum time_base *kind);

/* STATUS_OK; or STATUS_USAGE, and all is said. */
int filter_check(const struct command *self, const struct filter *f);

/* What of @p is wanted, to @ret, which is to be freed with filtered_done() in any case. STATUS_FAILED: all is said. */
int filter_apply(struct filtered *ret, const struct dusk_profile *p, const struct filter *f);

/* Does it need names? */
static inline bool filter_any(const struct filter *f)
{
	return f->focus || f->ignore || f->hide;
}
