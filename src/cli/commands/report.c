/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk report: show which functions took the time, and their callers, as a table or tree. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/view/filter.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "report/model/interpreters.h"
#include "report/model/missing_frame_pointers.h"
#include "report/model/missing_symbols.h"
#include "report/model/occurrences.h"
#include "report/show/show.h"

#define NO_LIMIT (-1.0)

struct options {
	const char *input, *tree, *graph, *weight, *wakers;
	struct text_list sort, fields;
	struct filter_options filter;
	struct time_base_choice kind;
	bool full_names, callers, stdio, no_children, csv, json, ascii, inlined;
	uint32_t limit;
	double percent_limit;
};

/* Keys of rows first, then columns of weight. The first NR_SORT_KEYS are allowed in --sort. */
static const enum key keys[NR_KEYS] = {KEY_COMM,    KEY_PID,	   KEY_TID,	     KEY_DSO,	       KEY_FUNCTION,
				       KEY_LINE,    KEY_STATE,	   KEY_SERVICE,	     KEY_UNIT,	       KEY_CONTAINER,
				       KEY_POD,	    KEY_NAMESPACE, KEY_VERSION,	     KEY_CGROUP,       KEY_HOST,
				       KEY_TIME,    KEY_SELF,	   KEY_TOTAL,	     KEY_COUNT,	       KEY_RUNNABLE,
				       KEY_AVERAGE, KEY_LONGEST,   KEY_SELF_PERCENT, KEY_TOTAL_PERCENT};

#define NR_FIELDS NR_KEYS
#define NR_SORT_KEYS 22

static const char *key_choice(size_t i)
{
	return i < NR_SORT_KEYS ? key_name(keys[i]) : NULL;
}

static const char *field_choice(size_t i)
{
	return i < NR_FIELDS ? key_name(keys[i]) : NULL;
}

static const char *tree_choice(size_t i)
{
	return i == 0 ? "caller" : i == 1 ? "callee" : NULL;
}

/* perf's ways to print a call graph; "none" is the table. Its other ways differ only in how percentages are shown. */
static const char *graph_choice(size_t i)
{
	static const char *const names[] = {"caller", "callee", "graph", "fractal", "none"};

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

static const char *const measures[] = {[BY_COUNT] = "count", [BY_TIME] = "time", [BY_RUNNABLE] = "runnable"};

/* Returns the number of the measure, or -1: it is a field of an event. */
static int measure_of(const char *weight)
{
	for (int m = BY_COUNT; m <= BY_RUNNABLE; m++)
		if (!strcmp(weight, measures[m]))
			return m;
	return -1;
}

static const char *state_choice(size_t i)
{
	return state_name(i);
}

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	TIME_BASE_OPTIONS(struct options, kind),
	{0, "weight", OPTION_TEXT, offsetof(struct options, weight), "MEASURE",
	 "by count, time, runnable, or an event's field"},
	WAKERS_OPTION(struct options, wakers, "tree of off-CPU intervals, with up to N wakers"),
	{'s', "sort", OPTION_TEXTS, offsetof(struct options, sort), "KEYS",
	 "comm,pid,tid,service,unit,dso,function,self,...", .choice = key_choice},
	{0, "fields", OPTION_TEXTS, offsetof(struct options, fields), "FIELDS",
	 "columns: KEYS, self_percent, total_percent", .choice = field_choice},
	{0, "tree", OPTION_CHOICE, offsetof(struct options, tree), "[ORDER]",
	 "call tree, from the caller (default) or callee", .choice = tree_choice},
	{0, "callers", OPTION_FLAG, offsetof(struct options, callers), NULL, "the same as --tree callee"},
	{'g', "stacks", OPTION_CHOICE, offsetof(struct options, graph), "[ORDER]",
	 "the same as --tree, for perf's users", .choice = graph_choice},
	{0, "call-graph", OPTION_CHOICE, offsetof(struct options, graph), "[ORDER]", "perf's long name of -g",
	 .choice = graph_choice},
	{0, "stdio", OPTION_FLAG, offsetof(struct options, stdio), NULL, "perf's name of what this command does"},
	FILTER_OPTIONS(struct options, filter),
	{0, "state", OPTION_TEXTS, offsetof(struct options, filter.state), "STATES",
	 "only time of threads in these states", .choice = state_choice},
	{0, "no-children", OPTION_FLAG, offsetof(struct options, no_children), NULL,
	 "only self: no column for callees"},
	{'l', "limit", OPTION_NUMBER, offsetof(struct options, limit), "N", "at most N rows", 1, UINT32_MAX},
	{0, "percent-limit", OPTION_PERCENT, offsetof(struct options, percent_limit), "P",
	 "leave out rows with a total below P percent"},
	{0, "csv", OPTION_FLAG, offsetof(struct options, csv), NULL, "comma-separated values"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line"},
	{0, "ascii", OPTION_FLAG, offsetof(struct options, ascii), NULL, "draw trees with ASCII"},
	{0, "full-names", OPTION_FLAG, offsetof(struct options, full_names), NULL, "do not shorten long names"},
	INLINE_OPTIONS(struct options, inlined),
	{0},
};

/* The view that the command line describes. */
struct view {
	struct show_options show;
	unsigned int rows;	 /* set of enum key: the keys of rows, or of the roots of a tree */
	enum key order[NR_KEYS]; /* of the rows of tables, if it is not the default one */
	size_t nr_order;
	unsigned int order_set;
	bool tree, hint; /* hint: nobody has chosen this time base, nor stacks */
	enum tree_direction direction;
	enum measure by;
};

static int refuse_key(const struct command *self, const char *option, const char *name, size_t nr)
{
	const char *names[NR_KEYS + 1] = {0}, *near;
	char list[320];
	size_t len = 0;

	for (size_t i = 0; i < nr; i++) {
		names[i] = key_name(keys[i]);
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				!i	     ? ""
				: i + 1 < nr ? ", "
					     : " and ",
				names[i]);
	}
	near = suggest(name, names);
	if (near)
		return say_usage(self, "unknown key '%s' in --%s; did you mean '%s'?", name, option, near);
	return say_usage(self, "unknown key '%s' in --%s; there are %s", name, option, list);
}

/* perf's names of keys. */
static const char *own_name(const char *name)
{
	if (!strcmp(name, "sym") || !strcmp(name, "symbol"))
		return "function";
	return !strcmp(name, "overhead") ? "self_percent" : name;
}

/* Parse @list into keys, each once, among the first @known of keys[]. *@set: the same as a set. */
static int read_keys(const struct command *self, const char *option, const struct text_list *list, size_t known,
		     enum key *ret, size_t *ret_nr, unsigned int *set)
{
	*set = 0;
	for (size_t i = 0; i < list->nr; i++) {
		const char *name = own_name(list->v[i]);
		size_t k = 0;

		while (k < known && strcmp(name, key_name(keys[k])))
			k++;
		if (k == known)
			return refuse_key(self, option, list->v[i], known);
		if (!(*set & keys[k]))
			ret[(*ret_nr)++] = keys[k];
		*set |= keys[k];
	}
	return STATUS_OK;
}

static void add_column(struct view *v, enum key key)
{
	v->show.column[v->show.nr_columns++] = key;
	v->rows |= key & KEYS_OF_ROWS;
}

/* Nodes of trees are always functions, so --sort chooses only keys of tasks, for the roots. */
static int choose_roots(const struct command *self, const struct options *o, struct view *v, unsigned int sort)
{
	if (o->fields.nr)
		return say_usage(self, "--fields is about tables; trees have columns of their own");
	if (sort & (KEY_DSO | KEY_LINE | KEY_TIME))
		return say_usage(self, "trees go by function: --sort %s has no meaning there",
				 sort & KEY_DSO	   ? "dso"
				 : sort & KEY_LINE ? "line"
						   : "time");
	if (sort & KEYS_OF_WEIGHT)
		return say_usage(self, "trees are sorted by total: what rows weigh has no meaning in --sort there");
	if (!o->sort.nr && v->direction == TREE_DOWN)
		add_column(v, KEY_COMM);
	for (size_t i = 0; i < v->nr_order; i++)
		if (v->order[i] != KEY_FUNCTION)
			add_column(v, v->order[i]);
	v->rows &= KEYS_OF_TASKS;
	return STATUS_OK;
}

/* Leave those by which rows are sorted. Names and numbers are keys of rows only: their order says nothing. */
static void keep_order(struct view *v)
{
	size_t nr = 0;

	for (size_t i = 0; i < v->nr_order; i++)
		if (v->order[i] & (KEYS_OF_WEIGHT | KEY_TIME))
			v->order[nr++] = v->order[i];
	v->nr_order = nr;
}

/* All named keys are keys of rows. Rows are sorted by --sort only if it has a key of weight, or time. */
static int choose_columns(const struct command *self, const struct options *o, struct view *v, unsigned int sort)
{
	unsigned int fields;
	int status = read_keys(self, "fields", &o->fields, NR_FIELDS, v->show.column, &v->show.nr_columns, &fields);

	if (status)
		return status;
	if (o->fields.nr && o->no_children)
		return say_usage(self, "--fields and --no-children exclude each other");
	v->show.chosen = o->fields.nr;
	v->rows = (fields | sort) & KEYS_OF_ROWS;
	for (size_t i = 0; i < v->nr_order && !o->fields.nr; i++)
		if (v->order[i] & KEYS_OF_ROWS)
			add_column(v, v->order[i]);
	if (!v->rows && !o->fields.nr) {
		if (v->show.kind == TIME_BASE_WALL)
			add_column(v, KEY_STATE);
		add_column(v, KEY_FUNCTION);
		add_column(v, KEY_DSO);
	}
	if (!v->rows)
		v->rows = KEY_FUNCTION | KEY_DSO;
	keep_order(v);
	return STATUS_OK;
}

static int check_states(const struct command *self, const struct options *o)
{
	for (size_t i = 0; i < o->filter.state.nr; i++) {
		char list[160] = "";
		size_t len = 0;
		uint32_t k = 0;

		for (; state_name(k) && strcmp(state_name(k), o->filter.state.v[i]); k++)
			len += snprintf(list + len, sizeof(list) - len, "%s%s", k ? ", " : "", state_name(k));
		if (!state_name(k))
			return say_usage(self, "unknown state '%s'; there are %s", o->filter.state.v[i], list);
	}
	return STATUS_OK;
}

/* Choose the measure, after the profile is open and the time base is known. */
static int choose_measure(const struct command *self, const struct options *o, struct view *v)
{
	unsigned int named = v->order_set;

	for (size_t i = 0; i < v->show.nr_columns; i++)
		named |= v->show.column[i];
	v->by = kind_counts(v->show.kind) ? BY_COUNT : BY_TIME;
	if (o->weight && measure_of(o->weight) >= 0)
		v->by = measure_of(o->weight);
	if (v->show.kind == TIME_BASE_WALL && (v->by == BY_COUNT || named & (KEY_COUNT | KEY_AVERAGE | KEY_LONGEST)))
		return say_usage(self, "--wall has samples and off-CPU intervals, which cannot be counted together; "
				       "they add up by time");
	if (v->show.kind == TIME_BASE_EVENT && v->by != BY_COUNT)
		return say_usage(self, "occurrences of an event take no time; they are counted");
	if (v->show.kind == TIME_BASE_CPU && v->by == BY_RUNNABLE)
		return say_usage(self, "samples on CPU have no runnable time: --weight runnable is for --off-cpu");
	return STATUS_OK;
}

/* The order of the tree: that of --tree, or of --call-graph. NULL: a table. */
static const char *tree_order(const struct options *o)
{
	if (o->callers)
		return "callee";
	if (o->tree)
		return o->tree;
	if (o->graph && strcmp(o->graph, "none"))
		return strcmp(o->graph, "callee") ? "caller" : "callee";
	return o->wakers ? "caller" : NULL;
}

static int choose(const struct command *self, const struct options *o, struct view *v)
{
	const char *order = tree_order(o);
	bool tree = order;
	double usual = tree ? 0.5 : o->csv || o->json ? 0 : 0.05;
	unsigned int sort;
	int status;

	*v = (struct view){
		.show =
			{
				.form = o->csv	  ? SHOW_CSV
					: o->json ? SHOW_NDJSON
						  : SHOW_TEXT,
				.no_total = o->no_children,
				.percent_limit = o->percent_limit == NO_LIMIT ? usual : o->percent_limit,
				.max_rows = o->limit,
				.full_names = o->full_names,
			},
		.tree = tree,
		.hint = !o->kind.cpu && !o->filter.focus && !o->filter.ignore && !o->filter.dso.nr,
		.direction = tree && !strcmp(order, "callee") ? TREE_UP : TREE_DOWN,
	};
	if (o->csv && o->json)
		return say_usage(self, "--csv and --json exclude each other");
	if ((o->tree != NULL) + (o->graph != NULL) + o->callers > 1)
		return say_usage(self, "--tree, --callers and -g exclude each other");
	status = time_base_choose(self, &o->kind, &o->filter,
				  o->wakers	       ? TIME_BASE_OFF_CPU
				  : o->filter.state.nr ? TIME_BASE_WALL
						       : TIME_BASE_USUAL,
				  &v->show.kind);
	if (!status && o->wakers && kind_counts(v->show.kind))
		return say_usage(self, "--wakers is about off-CPU intervals, which --%s leaves out",
				 o->kind.cpu ? "cpu" : "event");
	if (!status)
		status = check_states(self, o);
	if (!status)
		status = read_keys(self, "sort", &o->sort, NR_SORT_KEYS, v->order, &v->nr_order, &sort);
	if (status)
		return status;
	v->order_set = sort;
	return tree ? choose_roots(self, o, v, sort) : choose_columns(self, o, v, sort);
}

/* @p: the recorded profile; @seen: the same, filtered. */
static int show_table(FILE *out, const struct dusk_profile *p, const struct filtered *seen, const struct view *v)
{
	_cleanup_(table_freep) struct table *t = NULL;
	int err = table_new(&t, &seen->profile, v->rows, v->by);

	if (err)
		return err;
	if (v->nr_order)
		table_sort(t, v->order, v->nr_order);
	if (v->show.form == SHOW_TEXT)
		header_show(out, p, v->show.kind, t->selected, seen, v->hint);
	table_show(out, t, &v->show);
	return 0;
}

static int show_tree(FILE *out, const struct dusk_profile *p, const struct filtered *seen, const struct view *v)
{
	_cleanup_(tree_freep) struct tree *t = NULL;
	struct tree_options o = {
		v->direction, v->rows, v->show.percent_limit, v->by, v->show.form == SHOW_TEXT, true,
	};
	int err = tree_new(&t, &seen->profile, &o);

	if (err)
		return err;
	if (v->show.form == SHOW_TEXT)
		header_show(out, p, v->show.kind, t->selected, seen, v->hint);
	return tree_show(out, t, v->direction, &v->show);
}

/* Does the view show functions? */
static bool by_function(const struct view *v)
{
	return v->tree || v->rows & (KEY_FUNCTION | KEY_LINE);
}

/* Only some of it is shown. */
static int open_needed(struct dusk_profile **ret, const struct options *o, const struct view *v, struct filter *filter)
{
	bool names = by_function(v) || filter_any(&o->filter);
	struct needs needs = {
		.filter = filter,
		.keys = v->rows & KEYS_OF_ROWS,
		.no_stacks = !names && !(v->rows & KEYS_OF_FRAMES),
		.whole = o->wakers,
		.left_out = v->show.form == SHOW_TEXT,
	};

	for (size_t i = 0; i < v->show.nr_columns; i++)
		needs.whole |= v->show.column[i] == KEY_LONGEST;
	needs.whole |= v->order_set & KEY_LONGEST;
	filter->kind = v->show.kind;
	return open_profile_for(ret, o->input, names, o->inlined, &needs);
}

/* Which event is the view to be of, where there are several and none was chosen? */
static bool must_choose_event(const struct options *o, const struct view *v, const struct dusk_profile *p)
{
	return v->show.form == SHOW_TEXT && time_base_of(p, v->show.kind) == TIME_BASE_EVENT && !o->kind.event &&
	       occurrences_only(p) == -E2BIG;
}

static int list_events(const struct dusk_profile *p)
{
	struct output out;
	int status = output_open(&out, NULL, true);

	return status ?: output_close(&out, events_show(out.file, p));
}

static int report(const struct command *self, const struct options *o, char *const *argv)
{
	_cleanup_(profile_freep) struct dusk_profile *whole = NULL;
	_cleanup_(filtered_done) struct filtered of_event = {0}, seen = {0};
	const struct dusk_profile *p;
	struct filter filter = {.trim = true, .waker_processes = true};
	struct output out;
	struct view v;
	int status = choose(self, o, &v), err;

	if (!status)
		status = filter_choose(self, &o->filter, &filter);
	if (!status)
		status = open_needed(&whole, o, &v, &filter);
	p = whole;
	if (!status)
		status = wakers_choose(&filter.wakers, o->wakers, p, o->input);
	if (!status && must_choose_event(o, &v, p))
		return list_events(p);
	if (!status)
		status = kind_settle(&of_event, &p, o->input, &o->kind, &v.show.kind);
	if (!status) {
		filter.kind = v.show.kind;
		filter.marks = v.tree && v.show.kind == TIME_BASE_WALL;
		status = choose_measure(self, o, &v);
	}
	if (!status)
		status = filter_apply(&seen, p, &filter);
	if (!status)
		status = filter_check_empty(&seen, p, o->input, &o->filter, &o->kind, argv);
	if (!status)
		status = output_open(&out, NULL, v.show.form == SHOW_TEXT);
	if (status)
		return status;
	v.show.color = out.color;
	v.show.width = out.width;
	v.show.ascii = o->ascii || !out.unicode;
	err = (v.tree ? show_tree : show_table)(out.file, p, &seen, &v);
	if (!err && v.show.form == SHOW_TEXT) {
		losses_show(out.file, p, v.show.kind);
		missing_fp_show(out.file, p, v.show.kind, "#");
		if (by_function(&v)) {
			interpreters_show(out.file, &seen.profile, v.show.kind);
			missing_symbols_show(out.file, &seen.profile, v.show.kind);
		}
	}
	return output_close(&out, err);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.percent_limit = NO_LIMIT, .inlined = true};
	int status;

	if (!command_profile(self, argc, argv, &o, &o.input, &status))
		return status;
	if (o.weight && (o.kind.event || measure_of(o.weight) < 0))
		o.kind.weight = o.weight;
	status = report(self, &o, argv);
	options_done(options, &o);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "Which functions took the time, and who called them",
	.arguments = "[options] [FILE]",
	.options = options,
	.run = run,
};
