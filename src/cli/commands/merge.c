/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk merge: make one profile of several. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/store_name.h"
#include "base/vec.h"
#include "cli/view/load_profile.h"
#include "cli/view/store.h"
#include "report/model/setting.h"

struct options {
	const char *output;
	uint64_t window_ns, size;
	bool quiet, set_aside;
};

static const struct option options[] = {
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "the merged profile (default " DEFAULT_PROFILE ")"},
	{0, "window", OPTION_DURATION, offsetof(struct options, window_ns), "TIME", "keep sums, not samples: 1m"},
	{0, "size", OPTION_SIZE, offsetof(struct options, size), "SIZE",
	 "at most this a CPU and day, by dropping detail", 1, 1ULL << 50},
	{0, "set-aside", OPTION_FLAG, offsetof(struct options, set_aside), NULL,
	 "leave damaged ones out, as FILE" STORE_BAD},
	{'q', "quiet", OPTION_FLAG, offsetof(struct options, quiet), NULL, "print nothing but errors"},
	{0},
};

struct parts {
	struct vec(struct dusk_profile *) v;
};

static void parts_done(struct parts *p)
{
	for (size_t i = 0; i < p->v.nr; i++)
		dusk_profile_free(p->v.v[i]);
	vec_done(&p->v);
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = dusk_profile_start_ns(*(struct dusk_profile *const *)a),
		 y = dusk_profile_start_ns(*(struct dusk_profile *const *)b);

	return x < y ? -1 : x > y;
}

#define DAY_NS (24 * 3600 * 1000000000ULL)
#define MIN_NS (DAY_NS / 4)
#define WINDOW_NS (60 * 1000000000ULL) /* unless something else is asked for */

/*
 * Make it as small as is wanted. What is there once, such as names, is most of a short profile: it may take as much as
 * a longer one.
 */
static int reduce(const struct options *o, struct dusk_profile *p, struct dusk_error *err)
{
	uint64_t duration_ns = setting_u64(p, "duration_ns"), ns = duration_ns > MIN_NS ? duration_ns : MIN_NS;
	double bytes = (double)o->size * (setting_u64(p, "cpus") ?: 1) * ns / DAY_NS;
	uint64_t as_before = setting_u64(p, "window_ns"),
		 window_ns = o->window_ns > as_before ? o->window_ns : as_before;

	if (!o->size && !o->window_ns)
		return 0;
	return dusk_profile_reduce(p, window_ns ?: WINDOW_NS, o->size ? bytes : UINT64_MAX, err);
}

static void merge_freep(struct dusk_merge **m)
{
	dusk_merge_free(*m);
}

/* Rename @path, of which @why tells, so that nobody reads it. */
static int set_aside(const char *path, const char *why)
{
	char bad[PATH_MAX];

	if (snprintf(bad, sizeof(bad), "%s" STORE_BAD, path) >= (int)sizeof(bad) || rename(path, bad)) {
		say("%s; cannot rename it to %s" STORE_BAD ": %s", why, path, strerror(errno));
		return STATUS_FAILED;
	}
	say("%s; it is left out, and is %s now", why, bad);
	return STATUS_OK;
}

/* Read @path. *@ret is NULL if it is set aside. */
static int read_part(struct dusk_profile **ret, const struct options *o, const char *path, bool several)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	bool may_move = o->set_aside && !store_is_meant(path);
	struct dusk_error err = {""};
	int failed = 0;

	if (!may_move && open_profile(&p, path, false, false))
		return STATUS_FAILED;
	if (!p)
		failed = dusk_profile_read(&p, path, &err);
	if (!failed && several && !dusk_profile_start_ns(p)) {
		snprintf(err.text, sizeof(err.text), "cannot merge %s: it does not say when it began", path);
		failed = -EINVAL;
	}
	if (failed == -EINVAL && may_move)
		return set_aside(path, err.text);
	if (!failed)
		*ret = steal(p);
	else
		say("%s", err.text);
	return failed ? STATUS_FAILED : STATUS_OK;
}

/* Read all, in the order of time. */
static int read_parts(struct parts *parts, const struct options *o, char **paths, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct dusk_profile *p = NULL;

		if (read_part(&p, o, paths[i], nr > 1))
			return STATUS_FAILED;
		if (p && vec_push(&parts->v, p)) {
			dusk_profile_free(p);
			say("cannot merge: out of memory");
			return STATUS_FAILED;
		}
	}
	if (parts->v.nr)
		qsort(parts->v.v, parts->v.nr, sizeof(*parts->v.v), by_start);
	return STATUS_OK;
}

static int add_up(struct dusk_profile **ret, const struct parts *parts, size_t nr_left_out, struct dusk_error *err)
{
	_cleanup_(merge_freep) struct dusk_merge *m = NULL;
	int failed = dusk_merge_new(&m, NULL, err);

	for (size_t i = 0; i < parts->v.nr && !failed; i++)
		failed = dusk_merge_add(m, parts->v.v[i], err);
	while (!failed && nr_left_out--)
		dusk_merge_leave_out(m);
	return failed ?: dusk_merge_end(ret, m, err);
}

static int merge(const struct options *o, char **paths, int nr)
{
	_cleanup_(parts_done) struct parts parts = {.v = {0}};
	_cleanup_(profile_freep) struct dusk_profile *merged = NULL;
	struct dusk_error err = {""};
	size_t nr_read;
	int failed;

	if (read_parts(&parts, o, paths, nr))
		return STATUS_FAILED;
	nr_read = parts.v.nr;
	failed = add_up(&merged, &parts, nr - nr_read, &err);
	parts_done(&parts); /* they take half of the memory */
	parts = (struct parts){.v = {0}};
	if (failed || reduce(o, merged, &err) || dusk_profile_write(merged, o->output, 0, &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	if (!o->quiet)
		say("wrote %s, of %zu profiles", o->output, nr_read);
	return STATUS_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.output = DEFAULT_PROFILE};
	int next, status;

	if (!command_options(self, argc, argv, &o, &next, &status))
		return status;
	if (next == argc)
		return say_usage(self, "which profiles?");
	return merge(&o, argv + next, argc - next);
}

const struct command cmd_merge = {
	.name = "merge",
	.summary = "Make one profile of several, recorded one after the other",
	.arguments = "[options] PROFILE...",
	.notes = "PROFILE may be a store, or a part of it: STORE@-2h..-1h.\n",
	.options = options,
	.run = run,
};
