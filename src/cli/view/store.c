/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read a folder of profiles as one. See store.h. */
#include "cli/view/store.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/store_name.h"
#include "base/suffix.h"
#include "base/vec.h"
#include "cli/cmdline/command.h"
#include "cli/view/fleet.h"
#include "cli/view/load_profile.h"
#include "cli/view/read_ahead.h"

#define NS_A_S 1000000000ULL
#define RECORDING STORE_SUFFIX STORE_RECORDING

/* A name that means when the profile begins, 20261124T031200Z.dusk, tells without reading it. */
#define NAME_FORMAT STORE_TIME STORE_SUFFIX

struct paths vec(char *);

struct store {
	char folder[PATH_MAX];
	uint64_t from_ns, to_ns; /* 0: no bound */
	struct paths names;
};

static void paths_done(struct paths *paths)
{
	for (size_t i = 0; i < paths->nr; i++)
		free(paths->v[i]);
	vec_done(paths);
}

static void store_done(struct store *s)
{
	paths_done(&s->names);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && !has_suffix(path, STORE_RECORDING);
}

/* Copy the folder's part of @path, whose length is *@len, and return what is behind the @, or NULL. */
static const char *split(const char *path, char folder[PATH_MAX])
{
	const char *at = fleet_is_meant(path) ? fleet_span(path) : strrchr(path, '@');
	struct stat st;

	if (!at || !lstat(path, &st)) /* a file may be named so */
		at = NULL;
	if (snprintf(folder, PATH_MAX, "%.*s", at ? (int)(at - path) : (int)strlen(path), path) >= PATH_MAX)
		*folder = 0;
	return at ? at + 1 : NULL;
}

bool store_is_meant(const char *path)
{
	char folder[PATH_MAX];

	split(path, folder);
	return fleet_is_meant(path) || is_folder(folder);
}

/* What is left after the first of @formats that fits, or NULL. */
static const char *parse(const char *text, const char *const *formats, struct tm *tm)
{
	for (; *formats; formats++) {
		struct tm filled = *tm;
		const char *rest = strptime(text, *formats, &filled);

		if (rest && (!*rest || !strcmp(rest, "Z"))) {
			*tm = filled;
			return rest;
		}
	}
	return NULL;
}

int store_time(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
	static const char *const times[] = {"%H:%M:%S", "%H:%M", NULL};
	static const char *const dates[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
					    "%Y-%m-%d %H:%M",	 "%Y-%m-%d",	   NULL};
	time_t now_s = now_ns / NS_A_S, s;
	struct tm today, tm = {0};
	const char *rest;
	uint64_t ago_ns;

	if (!strcmp(text, "now")) {
		*ret_ns = now_ns;
		return 0;
	}
	if (*text == '-' && !duration_parse(text + 1, &ago_ns)) {
		*ret_ns = ago_ns < now_ns ? now_ns - ago_ns : 1;
		return 0;
	}
	localtime_r(&now_s, &today);
	today.tm_sec = 0;
	rest = parse(text, dates, &tm);
	if (!rest) {
		tm = today;
		rest = parse(text, times, &tm);
	}
	if (!rest)
		return -EINVAL;
	tm.tm_isdst = -1;
	s = *rest == 'Z' ? timegm(&tm) : mktime(&tm);
	if (s <= 0)
		return -EINVAL;
	*ret_ns = s * NS_A_S;
	return 0;
}

static int parse_span(struct store *s, const char *path, const char *span)
{
	char from[64];
	const char *dots = span ? strstr(span, "..") : NULL;
	struct timespec now;
	uint64_t now_ns;

	if (!span)
		return STATUS_OK;
	clock_gettime(CLOCK_REALTIME, &now);
	now_ns = now.tv_sec * NS_A_S + now.tv_nsec;
	snprintf(from, sizeof(from), "%.*s", dots ? (int)(dots - span) : (int)sizeof(from) - 1, span);
	if ((*from && store_time(from, now_ns, &s->from_ns)) ||
	    (dots && dots[2] && store_time(dots + 2, now_ns, &s->to_ns))) {
		say("cannot read %s: a time is -2h, now, 03:12, 2026-11-24 or 2026-11-24T03:12Z, as in STORE@-2h..-1h",
		    path);
		return STATUS_USAGE;
	}
	if (s->to_ns && s->to_ns <= s->from_ns) {
		say("cannot read %s: the end is not after the beginning", path);
		return STATUS_USAGE;
	}
	return STATUS_OK;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the profiles, in order, without repetition: one may be there and its recording, too. */
static int list(struct store *s, const char *path)
{
	DIR *dir = opendir(s->folder);
	struct dirent *entry;
	size_t nr = 0;

	if (!dir) {
		say("cannot read %s: %s", path, strerror(errno));
		return STATUS_FAILED;
	}
	while ((entry = readdir(dir))) {
		bool recording = has_suffix(entry->d_name, RECORDING);
		char *name;

		if (!recording && !has_suffix(entry->d_name, STORE_SUFFIX))
			continue;
		name = strdup(entry->d_name);
		if (!name || vec_push(&s->names, name)) {
			free(name);
			closedir(dir);
			say("cannot read %s: out of memory", path);
			return STATUS_FAILED;
		}
		if (recording)
			name[strlen(name) - strlen(RECORDING) + strlen(STORE_SUFFIX)] = 0;
	}
	closedir(dir);
	if (s->names.nr)
		qsort(s->names.v, s->names.nr, sizeof(*s->names.v), by_name);
	for (size_t i = 0; i < s->names.nr; i++) {
		if (nr && !strcmp(s->names.v[nr - 1], s->names.v[i]))
			free(s->names.v[i]);
		else
			s->names.v[nr++] = s->names.v[i];
	}
	s->names.nr = nr;
	return STATUS_OK;
}

/* When the profile of this name begins; 0: the name does not tell. */
static uint64_t begins_ns(const char *name)
{
	struct tm tm = {0};
	const char *rest = strptime(name, NAME_FORMAT, &tm);
	time_t s = rest && !*rest ? timegm(&tm) : 0;

	return s > 0 ? s * NS_A_S : 0;
}

/* By its name and the next one, may profile @i have something of the time that is asked for? */
static bool may_have(const struct store *s, size_t i)
{
	uint64_t begins = begins_ns(s->names.v[i]), next = i + 1 < s->names.nr ? begins_ns(s->names.v[i + 1]) : 0;

	/* Names are rounded to seconds. */
	return !(s->to_ns && begins >= s->to_ns + NS_A_S) && !(next && begins && next + NS_A_S <= s->from_ns);
}

static int each_part(const struct store *s, int (*each)(const char *path, void *ctx), void *ctx)
{
	int status = STATUS_OK;

	for (size_t i = 0; i < s->names.nr && !status; i++) {
		char path[PATH_MAX];

		if (may_have(s, i) && snprintf(path, sizeof(path), "%s/%s", s->folder, s->names.v[i]) < PATH_MAX)
			status = each (path, ctx);
	}
	return status;
}

/* How long the time is that is asked for; where the profiles end is not known, and guessed by how far apart they begin. */
static uint64_t span_ns(const struct store *s)
{
	uint64_t from_ns = UINT64_MAX, to_ns = 0, longest_ns = 0;

	for (size_t i = 0; i < s->names.nr; i++) {
		uint64_t begin_ns = may_have(s, i) ? begins_ns(s->names.v[i]) : 0;

		if (!begin_ns)
			continue;
		if (to_ns && begin_ns - to_ns > longest_ns)
			longest_ns = begin_ns - to_ns;
		from_ns = begin_ns < from_ns ? begin_ns : from_ns;
		to_ns = begin_ns;
	}
	to_ns += longest_ns;
	from_ns = from_ns < s->from_ns ? s->from_ns : from_ns;
	to_ns = s->to_ns && s->to_ns < to_ns ? s->to_ns : to_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

int store_each(const char *path, int (*each)(const char *path, void *ctx), void *ctx)
{
	_cleanup_(store_done) struct store s = {.from_ns = 0};
	int status = parse_span(&s, path, split(path, s.folder));

	return status ?: list(&s, path) ?: each_part(&s, each, ctx);
}

static int note_path(const char *path, void *ctx)
{
	struct paths *paths = ctx;
	char *own = strdup(path);

	if (own && !vec_push(paths, own))
		return STATUS_OK;
	free(own);
	say("cannot read %s: out of memory", path);
	return STATUS_FAILED;
}

/* What is added up, and what became of it. */
struct reading {
	struct dusk_merge *m;
	struct dusk_profile *only; /* the only one, if there is but one, is not added */
	bool may_move;		   /* to @only */
	uint32_t nr, nr_left_out;
};

static void leave_out(struct reading *r)
{
	dusk_merge_leave_out(r->m);
	r->nr_left_out++;
}

/* Add @p, of @path, one of @nr. Returns STATUS_OK, also if it is left out, or STATUS_FAILED. */
static int add_part(struct reading *r, struct dusk_profile **p, const char *path, size_t nr)
{
	struct dusk_error err = {"it does not say when it began"};
	int failed = 0;

	if (r->may_move && nr == 1)
		r->only = steal(*p);
	else
		failed = nr > 1 && !dusk_profile_start_ns(*p) ? -EINVAL : dusk_merge_add(r->m, *p, &err);
	if (!failed) {
		r->nr++;
		return STATUS_OK;
	}
	if (failed != -EINVAL && failed != -E2BIG) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	say("%s is left out: %s", path, err.text);
	leave_out(r);
	return STATUS_OK;
}

/* Read and complete what is at @paths, and add it. One that cannot be read or added is named, counted, and left out. */
static int add_parts(struct reading *r, const struct paths *paths, store_complete_fn complete, void *ctx)
{
	_cleanup_(read_ahead_freep) struct read_ahead *ahead = NULL;
	struct dusk_error err = {""};
	int status = read_ahead_new(&ahead, (const char *const *)paths->v, paths->nr) ? STATUS_FAILED : STATUS_OK;

	if (status)
		say("cannot read %s: out of memory", paths->v[0]);
	for (size_t i = 0; i < paths->nr && !status; i++) {
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;
		int failed = read_ahead_next(ahead, &p, &err);

		if (failed == -ENODATA) /* a recording that has just begun: nothing is missing */
			continue;
		if (failed) {
			say("%s", err.text);
			leave_out(r);
		}
		status = complete(p, paths->v[i], ctx);
		if (!status && p)
			status = add_part(r, &p, paths->v[i], paths->nr);
	}
	return status;
}

static void reading_done(struct reading *r)
{
	dusk_merge_free(r->m);
	dusk_profile_free(r->only);
}

static int read_files(struct dusk_profile **ret, const struct store *s, const struct paths *paths,
		      const struct dusk_merge_options *o, store_complete_fn complete, void *ctx)
{
	bool span = s->from_ns || s->to_ns;
	_cleanup_(reading_done) struct reading r = {.may_move = !span};
	struct dusk_error err = {""};
	int status;

	if (dusk_merge_new(&r.m, o, &err)) {
		say("cannot read %s: %s", s->folder, err.text);
		return STATUS_FAILED;
	}
	status = add_parts(&r, paths, complete, ctx);
	if (status)
		return status;
	if (r.nr_left_out)
		say("%" PRIu32 " of %zu profiles in %s%s: left out", r.nr_left_out, paths->nr, s->folder,
		    span ? " of that time" : "");
	if (!r.nr) {
		say("there is %s in %s%s", span ? "nothing" : "no profile", s->folder, span ? " of that time" : "");
		return STATUS_NOTHING;
	}
	*ret = steal(r.only);
	if (*ret)
		return STATUS_OK;
	if (dusk_merge_end(ret, r.m, &err)) {
		say("cannot read %s: %s", s->folder, err.text);
		return STATUS_FAILED;
	}
	if (!span || (*ret)->nr_samples || (*ret)->nr_occurrences)
		return STATUS_OK;
	say("there is nothing in %s of that time", s->folder);
	dusk_profile_free(steal(*ret));
	return STATUS_NOTHING;
}

int store_open(struct dusk_profile **ret, const char *path, const struct needs *needs, store_complete_fn complete,
	       void *ctx)
{
	_cleanup_(store_done) struct store s = {.from_ns = 0};
	_cleanup_(paths_done) struct paths paths = {0};
	struct dusk_merge_options o = {.sz = sizeof(o)};
	int status = parse_span(&s, path, split(path, s.folder));

	if (status)
		return status;
	if (fleet_is_meant(path))
		return fleet_open(ret, s.folder, s.from_ns, s.to_ns, needs);
	*ret = NULL;
	status = list(&s, path) ?: each_part(&s, note_path, &paths);
	if (status)
		return status;
	o.from_ns = s.from_ns;
	o.to_ns = s.to_ns;
	needs_reduce(needs, &o, span_ns(&s));
	return read_files(ret, &s, &paths, &o, complete, ctx);
}
