/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be asked for. See route.h. */
#include "web/route.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUE 1000 /* bytes */
#define NDJSON "application/x-ndjson"
#define USUAL_FROM "-1h"
#define USUAL_SECONDS "30"
#define WINDOWS_S 20 /* two of the usual ones: what began before has been stored by now */

const struct route routes[] = {
	{"/api/v1/flame",
	 "the data of the page's flame graph: a line of JSON, and columns of numbers",
	 "application/octet-stream",
	 true,
	 TAKES_TIME | TAKES_BEFORE | TAKES_FILTER | TAKES_KIND,
	 {"flame", "--data"}},
	{"/api/v1/functions",
	 "functions, with the time in them and in what they called",
	 NDJSON,
	 false,
	 TAKES_TIME | TAKES_FILTER | TAKES_KIND | TAKES_LIMIT,
	 {"report", "--json", "--sort", "function,dso"}},
	{"/api/v1/threads",
	 "threads, with their time",
	 NDJSON,
	 false,
	 TAKES_TIME | TAKES_FILTER | TAKES_KIND | TAKES_LIMIT,
	 {"report", "--json", "--sort", "comm,pid,tid"}},
	{"/api/v1/labels",
	 "services, versions, units, containers, pods, namespaces and hosts, with their time",
	 NDJSON,
	 false,
	 TAKES_TIME | TAKES_FILTER | TAKES_KIND | TAKES_LIMIT,
	 {"report", "--json", "--no-children", "--sort", "service,version,unit,container,pod,namespace,host"}},
	{"/api/v1/timeline",
	 "time by time: up to a hundred parts of the range",
	 NDJSON,
	 false,
	 TAKES_TIME | TAKES_FILTER | TAKES_KIND,
	 {"report", "--json", "--no-children", "--sort", "time"}},
	{"/api/v1/diff",
	 "functions, and how their share has changed since before_from..before_to",
	 NDJSON,
	 false,
	 TAKES_TIME | TAKES_BEFORE | NEEDS_BEFORE | TAKES_FILTER | TAKES_KIND | TAKES_LIMIT,
	 {"diff", "--json"}},
	{"/api/v1/export",
	 "stacks in a format of other tools",
	 "application/octet-stream",
	 false,
	 TAKES_TIME | TAKES_FILTER | TAKES_KIND | TAKES_FORMAT,
	 {"export"}},
	{"/api/v1/recording",
	 "how it was recorded, what was counted, and what was lost",
	 "application/json",
	 false,
	 TAKES_TIME,
	 {"info", "--json"}},
	{"/debug/pprof/profile",
	 "CPU time of the last seconds that were stored, for go tool pprof",
	 "application/octet-stream",
	 false,
	 TAKES_SECONDS | TAKES_FILTER,
	 {"export", "--cpu", "--format", "pprof"}},
	{NULL},
};

static const char *const kinds[] = {"cpu", "off-cpu", "wall", NULL}, *const yes[] = {"yes", NULL};

const struct parameter parameters[] = {
	{"from", "from when: -1h (the default), 03:12, 2026-11-24T03:12Z", TAKES_TIME},
	{"to", "up to when, as from; the default is now", TAKES_TIME},
	{"before_from", "from when is what is compared with", TAKES_BEFORE},
	{"before_to", "up to when is what is compared with", TAKES_BEFORE},
	{"before", "what is compared with has this label instead: version=8a6e*", TAKES_BEFORE, "--before"},
	{"seconds", "how many seconds at least, of whole windows; the default is " USUAL_SECONDS, TAKES_SECONDS},
	{"kind", "time on a CPU, off CPU, or both", TAKES_KIND, NULL, kinds},
	{"format", "as dusk export --list says; the default is folded", TAKES_FORMAT, "--format"},
	{"limit", "at most so many rows", TAKES_LIMIT, "--limit"},
	{"service", "only threads of these services", TAKES_FILTER, "--service"},
	{"version", "only programs of these build ids", TAKES_FILTER, "--version"},
	{"unit", "only these units of systemd", TAKES_FILTER, "--unit"},
	{"container", "only these containers", TAKES_FILTER, "--container"},
	{"pod", "only these pods of Kubernetes", TAKES_FILTER, "--pod"},
	{"namespace", "only pods of these", TAKES_FILTER, "--namespace"},
	{"cgroup", "only these cgroups, and below", TAKES_FILTER, "--cgroup"},
	{"host", "only threads on these hosts", TAKES_FILTER, "--host"},
	{"comm", "only threads of these names", TAKES_FILTER, "--comm"},
	{"pid", "only these processes", TAKES_FILTER, "--pid"},
	{"tid", "only these threads", TAKES_FILTER, "--tid"},
	{"dso", "only samples taken in these modules", TAKES_FILTER, "--dso"},
	{"focus", "only stacks with a function or module that this regular expression matches", TAKES_FILTER,
	 "--focus"},
	{"ignore", "no stacks with such", TAKES_FILTER, "--ignore"},
	{"native", "also interpreters' functions that run code which is shown", TAKES_FILTER, "--native", yes},
	{NULL},
};

const struct route *route_find(const char *path)
{
	for (const struct route *r = routes; r->path; r++)
		if (!strcmp(r->path, path))
			return r;
	return NULL;
}

void words_done(struct words *w)
{
	for (size_t i = 0; i < w->made.nr; i++)
		free(w->made.v[i]);
	vec_done(&w->made);
	vec_done(&w->v);
}

static int add(struct words *w, const char *word)
{
	return vec_push(&w->v, word);
}

/* Add @text, which is freed with @w; NULL: memory was short. */
static int add_made(struct words *w, char *text)
{
	int err = text ? vec_push(&w->made, text) : -ENOMEM;

	if (err) {
		free(text);
		return err;
	}
	return add(w, text);
}

static char *join(const char *a, const char *b, const char *c, const char *d, const char *e)
{
	char *text;

	return asprintf(&text, "%s%s%s%s%s", a, b, c, d, e) < 0 ? NULL : text;
}

static const char *value_of(const struct asked *asked, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(asked[i].name, name) && *asked[i].value)
			return asked[i].value;
	return NULL;
}

static const struct parameter *find_parameter(const char *name)
{
	for (const struct parameter *p = parameters; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

/* Of what a time of a store is made. Two dots would separate two of them. */
static bool is_time(const char *text)
{
	return strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzTZ:.+- ") == strlen(text) && !strstr(text, "..");
}

static bool is_number(const char *text)
{
	return strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

static bool is_chosen(const char *const *choice, const char *value)
{
	while (*choice && strcmp(*choice, value))
		choice++;
	return *choice;
}

/* A key of the cache of answers has a word a line. */
static bool has_control(const char *text)
{
	while ((unsigned char)*text >= 0x20 && *text != 0x7f)
		text++;
	return *text;
}

static int check(const struct route *r, const struct asked *asked, char error[256])
{
	const struct parameter *p = find_parameter(asked->name);

	if (!p || !(p->takes & r->takes))
		snprintf(error, 256, "%s takes no parameter '%.60s'; /api/v1/openapi.json lists them", r->path,
			 asked->name);
	else if (has_control(asked->value))
		snprintf(error, 256, "the value of %s has control characters", p->name);
	else if (strlen(asked->value) > MAX_VALUE)
		snprintf(error, 256, "the value of %s has more than %d bytes", p->name, MAX_VALUE);
	else if (p->takes & (TAKES_TIME | TAKES_BEFORE) && !p->option && !is_time(asked->value))
		snprintf(error, 256, "%s is no time: -1h, now, 03:12, 2026-11-24T03:12Z", p->name);
	else if (p->takes & TAKES_SECONDS && !is_number(asked->value))
		snprintf(error, 256, "%s takes a number", p->name);
	else if (p->choice && *asked->value && !is_chosen(p->choice, asked->value))
		snprintf(error, 256, "%s is not '%.60s'", p->name, asked->value);
	else
		return 0;
	return -EINVAL;
}

/* Add the part of @store from @from up to @to, either of which may be NULL. */
static int add_range(struct words *w, const char *store, const char *from, const char *to)
{
	return add_made(w, join(store, "@", from ?: "", "..", to ?: ""));
}

static int add_option(struct words *w, const struct parameter *p, const char *value)
{
	if (p->takes & TAKES_KIND)
		return add_made(w, join("--", value, "", "", ""));
	if (p->choice == yes)
		return add(w, p->option);
	return p->option ? add_made(w, join(p->option, "=", value, "", "")) : 0;
}

int route_words(const struct route *r, const char *store, const struct asked *asked, size_t nr, struct words *ret,
		char error[256])
{
	const char *from = value_of(asked, nr, "from"), *to = value_of(asked, nr, "to");
	const char *before_from = value_of(asked, nr, "before_from"), *before_to = value_of(asked, nr, "before_to");
	const char *before = value_of(asked, nr, "before"); /* a label: of the same time, unless another one is given */
	int err = add(ret, "dusk");

	for (size_t i = 0; i < nr; i++)
		if (check(r, &asked[i], error))
			return -EINVAL;
	if (r->takes & NEEDS_BEFORE && !before_from && !before_to && !before) {
		snprintf(error, 256, "%s needs before_from, before_to, or before", r->path);
		return -EINVAL;
	}
	for (size_t i = 0; r->words[i] && !err; i++)
		err = add(ret, r->words[i]);
	for (size_t i = 0; i < nr && !err; i++)
		if (*asked[i].value)
			err = add_option(ret, find_parameter(asked[i].name), asked[i].value);
	if (r->takes & TAKES_SECONDS) {
		char ago[32];

		snprintf(ago, sizeof(ago), "-%lds", atol(value_of(asked, nr, "seconds") ?: USUAL_SECONDS) + WINDOWS_S);
		err = err ?: add_range(ret, store, ago, NULL);
	}
	from = from || to ? from : USUAL_FROM;
	if (!err && r->takes & TAKES_BEFORE && (before_from || before_to))
		err = add_range(ret, store, before_from, before_to);
	else if (!err && r->takes & TAKES_BEFORE && before)
		err = add_range(ret, store, from, to);
	if (!err && r->takes & TAKES_TIME)
		err = add_range(ret, store, from, to);
	return err ?: add(ret, NULL);
}
