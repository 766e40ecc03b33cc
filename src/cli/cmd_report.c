/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk report: which functions took the time, and who called them. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/open.h"
#include "cli/output.h"
#include "report/nameless.h"
#include "report/show.h"

#define NO_LIMIT (-1.0)

struct options {
	const char *input;
	struct text_list sort, comm, dso;
	struct number_list pid;
	bool tree, callers, no_children, csv, json, ascii, inlined;
	uint32_t limit;
	double percent_limit;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'s', "sort", OPTION_TEXTS, offsetof(struct options, sort), "KEYS",
	 "what a row is about: comm,pid,tid,dso,function,line"},
	{'t', "tree", OPTION_FLAG, offsetof(struct options, tree), NULL, "call tree: who called what"},
	{0, "callers", OPTION_FLAG, offsetof(struct options, callers), NULL, "call tree upside down: by whom called"},
	{0, "comm", OPTION_TEXTS, offsetof(struct options, comm), "NAMES", "only threads of these names"},
	{'p', "pid", OPTION_NUMBERS, offsetof(struct options, pid), "PIDS", "only these processes", 0, INT32_MAX},
	{0, "dso", OPTION_TEXTS, offsetof(struct options, dso), "NAMES", "only samples taken in these modules"},
	{0, "no-children", OPTION_FLAG, offsetof(struct options, no_children), NULL,
	 "only self: no column for callees"},
	{'l', "limit", OPTION_NUMBER, offsetof(struct options, limit), "N", "at most N rows", 1, UINT32_MAX},
	{0, "percent-limit", OPTION_PERCENT, offsetof(struct options, percent_limit), "P",
	 "leave out what has less than P percent in all"},
	{0, "csv", OPTION_FLAG, offsetof(struct options, csv), NULL, "comma-separated values"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line"},
	{0, "ascii", OPTION_FLAG, offsetof(struct options, ascii), NULL, "draw trees with ASCII"},
	INLINE_OPTIONS(struct options, inlined),
	{0},
};

static const enum key keys[] = {KEY_COMM, KEY_PID, KEY_TID, KEY_DSO, KEY_FUNCTION, KEY_LINE};

#define NR_KEYS (sizeof(keys) / sizeof(*keys))

static int refuse_key(const struct command *self, const char *name)
{
	const char *names[NR_KEYS + 1] = {0}, *near;

	for (size_t i = 0; i < NR_KEYS; i++)
		names[i] = key_name(keys[i]);
	near = suggest(name, names);
	if (near)
		return say_usage(self, "unknown key '%s' in --sort; did you mean '%s'?", name, near);
	return say_usage(self, "unknown key '%s' in --sort; there are comm, pid, tid, dso, function and line", name);
}

/* The keys of --sort, each once. *@set: all of them. */
static int choose_columns(const struct command *self, const struct text_list *sort, struct show_options *show,
			  unsigned int *set)
{
	for (size_t i = 0; i < sort->nr; i++) {
		size_t k = 0;

		while (k < NR_KEYS && strcmp(sort->v[i], key_name(keys[k])))
			k++;
		if (k == NR_KEYS)
			return refuse_key(self, sort->v[i]);
		if (!(*set & keys[k]))
			show->column[show->nr_columns++] = keys[k];
		*set |= keys[k];
	}
	return STATUS_OK;
}

/* Trees go by function anyway, so that only the keys of tasks are left to choose. */
static int choose_roots(const struct command *self, const struct options *o, struct show_options *show,
			unsigned int *set)
{
	size_t nr = 0;

	if (!o->sort.nr && !o->callers) {
		show->column[show->nr_columns++] = KEY_COMM;
		*set = KEY_COMM;
	}
	if (*set & (KEY_DSO | KEY_LINE))
		return say_usage(self, "trees go by function: --sort %s has no meaning there",
				 *set & KEY_DSO ? "dso" : "line");
	for (size_t i = 0; i < show->nr_columns; i++)
		if (show->column[i] != KEY_FUNCTION)
			show->column[nr++] = show->column[i];
	show->nr_columns = nr;
	return STATUS_OK;
}

static int choose(const struct command *self, const struct options *o, struct show_options *show, unsigned int *set)
{
	bool tree = o->tree || o->callers;
	double usual = tree ? 0.5 : o->csv || o->json ? 0 : 0.05;
	int status;

	*show = (struct show_options){
		.form = o->csv ? SHOW_CSV : o->json ? SHOW_NDJSON : SHOW_TEXT,
		.no_total = o->no_children,
		.percent_limit = o->percent_limit == NO_LIMIT ? usual : o->percent_limit,
		.max_rows = o->limit,
	};
	*set = 0;
	if (o->csv && o->json)
		return say_usage(self, "--csv and --json exclude each other");
	if (o->tree && o->callers)
		return say_usage(self, "--tree and --callers exclude each other");
	status = choose_columns(self, &o->sort, show, set);
	if (status || tree)
		return status ? status : choose_roots(self, o, show, set);
	if (!show->nr_columns) {
		show->column[show->nr_columns++] = KEY_FUNCTION;
		show->column[show->nr_columns++] = KEY_DSO;
		*set = KEY_FUNCTION | KEY_DSO;
	}
	return STATUS_OK;
}

static int show_table(FILE *out, const struct dusk_profile *p, unsigned int set, const struct selection *s,
		      const struct show_options *show)
{
	_cleanup_(table_freep) struct table *t = NULL;
	int err = table_new(&t, p, set, s);

	if (err)
		return err;
	if (show->form == SHOW_TEXT)
		header_show(out, p, t->samples);
	table_show(out, t, show);
	return 0;
}

static int show_tree(FILE *out, const struct dusk_profile *p, unsigned int set, const struct selection *s,
		     const struct show_options *show, enum tree_direction direction)
{
	_cleanup_(tree_freep) struct tree *t = NULL;
	struct tree_options o = {direction, set, show->percent_limit, s};
	int err = tree_new(&t, p, &o);

	if (err)
		return err;
	if (show->form == SHOW_TEXT)
		header_show(out, p, t->samples);
	return tree_show(out, t, direction, show);
}

/* Does the view name functions? */
static bool by_function(const struct options *o, unsigned int set)
{
	return set & (KEY_FUNCTION | KEY_LINE) || o->tree || o->callers;
}

static int report(const struct command *self, const struct options *o)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct selection s = {o->comm.v, o->dso.v, o->pid.v, o->comm.nr, o->dso.nr, o->pid.nr};
	struct show_options show;
	struct output out;
	unsigned int set;
	int status = choose(self, o, &show, &set), err;

	if (!status)
		status = open_profile(&p, o->input, by_function(o, set) || o->dso.nr, o->inlined);
	if (!status)
		status = output_open(&out, NULL, show.form == SHOW_TEXT);
	if (status)
		return status;
	show.color = out.color;
	show.ascii = o->ascii || !out.unicode;
	if (o->tree || o->callers)
		err = show_tree(out.file, p, set, &s, &show, o->tree ? TREE_DOWN : TREE_UP);
	else
		err = show_table(out.file, p, set, &s, &show);
	if (!err && show.form == SHOW_TEXT) {
		losses_show(out.file, p);
		if (by_function(o, set))
			nameless_show(out.file, p);
	}
	return output_close(&out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE, .percent_limit = NO_LIMIT, .inlined = true};
	int status;

	if (!command_options(self, argc, argv, &o, NULL, &status))
		return status;
	status = report(self, &o);
	options_done(options, &o);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "Which functions took the time, and who called them",
	.arguments = "[options]",
	.options = options,
	.run = run,
};
