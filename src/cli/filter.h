/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that select samples and stacks, the same in all commands that show them. */
#pragma once
#include "cli/command.h"
#include "report/model/filter.h"

/* Rows of an option table for the struct filter @member of @type. */
#define FILTER_OPTIONS(type, member)                                           \
	{0,	      "focus",                                                 \
	 OPTION_TEXT, offsetof(type, member.focus),                            \
	 "REGEX",     "only stacks with a matching function or module"},       \
		{0,	      "ignore",                                        \
		 OPTION_TEXT, offsetof(type, member.ignore),                   \
		 "REGEX",     "no stacks with a matching function or module"}, \
		{0,	      "hide",                                          \
		 OPTION_TEXT, offsetof(type, member.hide),                     \
		 "REGEX",     "leave matching functions out of their stacks"}

/* The time base: rows of an option table for the struct time_base_choice @member of @type. */
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

/* The number of wakers in a chain to show: a row of an option table for const char *@member of @type. */
#define WAKERS_OPTION(type, member, text) \
	{0, "wakers", OPTION_CHOICE, offsetof(type, member), "[N]", text, .choice = wakers_choice}

const char *wakers_choice(size_t i);

/* Store their number in *@ret, 0 if @wakers is NULL. Returns STATUS_OK, or STATUS_FAILED if @p has no wakers. */
int wakers_choose(uint32_t *ret, const char *wakers, const struct dusk_profile *p, const char *path);

/* Store the chosen time base in *@ret; @usual is the default. Returns STATUS_OK, or STATUS_USAGE after an error. */
int time_base_choose(const struct command *self, const struct time_base_choice *c, enum time_base usual,
		     enum time_base *ret);

/*
 * Settle *@kind, which time_base_choose() returned, for the profile *@p at @path. If it is TIME_BASE_EVENT, @of_event
 * becomes the profile of the chosen or only event, and *@p points to it. @of_event must be all-zero before; free it
 * with filtered_done() in any case. Returns STATUS_OK, or STATUS_FAILED after an error if there is no such event.
 */
int kind_settle(struct filtered *of_event, const struct dusk_profile **p, const char *path,
		const struct time_base_choice *c, enum time_base *kind);

/* Check the expressions of @f. Returns STATUS_OK, or STATUS_USAGE after an error. */
int filter_check(const struct command *self, const struct filter *f);

/* Filter @p by @f. Free @ret with filtered_done() in any case. Returns STATUS_OK, or STATUS_FAILED after an error. */
int filter_apply(struct filtered *ret, const struct dusk_profile *p, const struct filter *f);

/* Does the filter need names of functions? */
static inline bool filter_any(const struct filter *f)
{
	return f->focus || f->ignore || f->hide;
}
