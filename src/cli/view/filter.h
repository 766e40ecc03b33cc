/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options that select samples and stacks, the same in all commands that show them. */
#pragma once
#include "cli/cmdline/command.h"
#include "report/model/filter.h"

/* What the options say. Lists are to be freed with options_done(). */
struct filter_options {
	struct text_list comm, dso, state;
	struct number_list pid, tid;
	struct time_range time;
	uint64_t min_ns;
	struct text_list label[NR_THREAD_LABELS];
	bool ignore_idle, own, native;
	const char *focus, *ignore, *hide;
};

/* By labels: the values are patterns (thread_label.h). */
#define LABEL_OPTION(type, member, which, name, values, text) \
	{0, name, OPTION_TEXTS, offsetof(type, member.label[which]), values, text}
#define LABEL_OPTIONS(type, member)                                                                              \
	LABEL_OPTION(type, member, LABEL_SERVICE, "service", "NAMES", "only threads of these services"),         \
		LABEL_OPTION(type, member, LABEL_UNIT, "unit", "NAMES", "only these units of systemd"),          \
		LABEL_OPTION(type, member, LABEL_CONTAINER, "container", "NAMES", "only these containers"),      \
		LABEL_OPTION(type, member, LABEL_POD, "pod", "NAMES", "only these pods of Kubernetes"),          \
		LABEL_OPTION(type, member, LABEL_NAMESPACE, "namespace", "NAMES", "only pods of these"),         \
		LABEL_OPTION(type, member, LABEL_VERSION, "version", "IDS", "only programs of these build ids"), \
		LABEL_OPTION(type, member, LABEL_CGROUP, "cgroup", "PATHS", "only these cgroups, and below"),    \
		LABEL_OPTION(type, member, LABEL_HOST, "host", "NAMES", "only threads on these hosts")

/* Rows of an option table for the struct filter_options @member of @type: which threads, and when. */
#define THREAD_OPTIONS(type, member)                                                                                    \
	{0, "comm", OPTION_TEXTS, offsetof(type, member.comm), "NAMES", "only threads of these names"},                 \
		{'p', "pid", OPTION_NUMBERS, offsetof(type, member.pid), "PIDS", "only these processes", 0, INT32_MAX}, \
		{'t', "tid", OPTION_NUMBERS, offsetof(type, member.tid), "TIDS", "only these threads", 0, INT32_MAX},   \
		LABEL_OPTIONS(type, member), {0,                                                                        \
					      "time",                                                                   \
					      OPTION_RANGE,                                                             \
					      offsetof(type, member.time),                                              \
					      "RANGE",                                                                  \
					      "only this time: 1.8s-2.6s, 2s-, the last -1h"}

/* Which stacks, and what of them. */
#define STACK_OPTIONS(type, member)                                            \
	{0,	      "focus",                                                 \
	 OPTION_TEXT, offsetof(type, member.focus),                            \
	 "REGEX",     "only stacks with a matching function or module"},       \
		{0,	      "ignore",                                        \
		 OPTION_TEXT, offsetof(type, member.ignore),                   \
		 "REGEX",     "no stacks with a matching function or module"}, \
		{0,	      "hide",                                          \
		 OPTION_TEXT, offsetof(type, member.hide),                     \
		 "REGEX",     "leave matching functions out of their stacks"}, \
		{0,	      "native",                                        \
		 OPTION_FLAG, offsetof(type, member.native),                   \
		 NULL,	      "also show interpreters' functions that run code"}

/* All that select and filter. */
#define FILTER_OPTIONS(type, member)                                                                                  \
	THREAD_OPTIONS(type, member),                                                                                 \
		{0, "dso", OPTION_TEXTS, offsetof(type, member.dso), "NAMES", "only samples taken in these modules"}, \
		{0,                                                                                                   \
		 "min",                                                                                               \
		 OPTION_DURATION,                                                                                     \
		 offsetof(type, member.min_ns),                                                                       \
		 "TIME",                                                                                              \
		 "only off-CPU intervals of this length or more"},                                                    \
		{0,	      "ignore-idle",                                                                          \
		 OPTION_FLAG, offsetof(type, member.ignore_idle),                                                     \
		 NULL,	      "no off-CPU intervals of idle threads"},                                                \
		STACK_OPTIONS(type, member),                                                                          \
		{0, "own", OPTION_FLAG, offsetof(type, member.own), NULL, "hide the kernel and libraries"}

/* The time base: rows of an option table for the struct time_base_choice @member of @type. */
struct time_base_choice {
	bool cpu, off_cpu, wall;
	const char *event, *weight;
};

#define TIME_BASE_OPTIONS(type, member)                                                                  \
	{0, "cpu", OPTION_FLAG, offsetof(type, member.cpu), NULL, "only time on a CPU: samples"},        \
		{0, "off-cpu", OPTION_FLAG, offsetof(type, member.off_cpu), NULL, "only time off CPU"},  \
		{0, "wall", OPTION_FLAG, offsetof(type, member.wall), NULL, "all time, on and off CPU"}, \
		{0,	      "event",                                                                   \
		 OPTION_TEXT, offsetof(type, member.event),                                              \
		 "NAME",      "only occurrences of this event of tracefs"}

/* How much occurrences count: a row of an option table for the struct time_base_choice @member of @type. */
#define WEIGHT_OPTION(type, member, text) {0, "weight", OPTION_TEXT, offsetof(type, member.weight), "FIELD", text}
#define WEIGHT_TEXT "count what this field of the event says"

/* The number of wakers in a chain to show: a row of an option table for const char *@member of @type. */
#define WAKERS_OPTION(type, member, text) \
	{0, "wakers", OPTION_CHOICE, offsetof(type, member), "[N]", text, .choice = wakers_choice}

const char *wakers_choice(size_t i);

/* Store their number in *@ret, 0 if @wakers is NULL. Returns STATUS_OK, or STATUS_FAILED if @p has no wakers. */
int wakers_choose(uint32_t *ret, const char *wakers, const struct dusk_profile *p, const char *path);

/*
 * Store the chosen time base in *@ret; @usual is the default, unless @f chooses off-CPU intervals by their length.
 * Returns STATUS_OK, or STATUS_USAGE after an error.
 */
int time_base_choose(const struct command *self, const struct time_base_choice *c, const struct filter_options *f,
		     enum time_base usual, enum time_base *ret);

/*
 * Settle *@kind, which time_base_choose() returned, for the profile *@p at @path. If it is TIME_BASE_EVENT, @of_event
 * becomes the profile of the chosen or only event, weighed as chosen, and *@p points to it. @of_event must be all-zero before; free
 * it with filtered_done() in any case. Returns STATUS_OK, or STATUS_FAILED after an error if there is no such event, or none of its
 * occurrences has a number in that field.
 */
int kind_settle(struct filtered *of_event, const struct dusk_profile **p, const char *path,
		const struct time_base_choice *c, enum time_base *kind);

/*
 * Check @o, and store what it says in @ret, whose other members stay. @ret must not outlive @o. Returns STATUS_OK, or
 * STATUS_USAGE after an error.
 */
int filter_choose(const struct command *self, const struct filter_options *o, struct filter *ret);

/* Of two profiles, what of the first one is compared: a row of an option table for const char *@member of @type. */
#define BEFORE_OPTION(type, member) \
	{0, "before", OPTION_TEXT, offsetof(type, member), "LABEL", "of BEFORE this instead: version=8a6e*"}

/*
 * Let @ret, which filter_choose() has set, select by the label in @text, "version=8a6e*", and by no other value of it. @pattern must
 * live as long as @ret. Returns STATUS_OK, or STATUS_USAGE after an error.
 */
int filter_before(const struct command *self, const char *text, const char **pattern, struct filter *ret);

/* Filter @p by @f. Free @ret with filtered_done() in any case. Returns STATUS_OK, or STATUS_FAILED after an error. */
int filter_apply(struct filtered *ret, const struct dusk_profile *p, const struct filter *f);

/*
 * Refuse a selection that matches nothing. @seen: what was left of @p, the profile at @path, by @o and @c (NULL: no
 * choice). @argv: the command line. Returns STATUS_OK, also if nothing was asked, or STATUS_NOTHING after it has said so.
 */
int filter_check_empty(const struct filtered *seen, const struct dusk_profile *p, const char *path,
		       const struct filter_options *o, const struct time_base_choice *c, char *const *argv);

/* Does the filter need names of functions? */
static inline bool filter_any(const struct filter_options *f)
{
	return f->focus || f->ignore || f->hide || f->own || f->dso.nr || f->ignore_idle;
}
