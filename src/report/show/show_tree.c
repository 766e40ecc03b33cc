/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Print a call tree. See show.h.
 *
 * The tree is indented only where it branches: an only child has the indentation of its parent, so that deep stacks
 * stay in view.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/json.h"
#include "base/vec.h"
#include "report/show/short_name.h"
#include "report/show/show.h"
#include "report/text.h"

#define NAME_WIDTH 60 /* of names, elsewhere than on a terminal */
#define MIN_WIDTH 24  /* of names on a terminal, however deep the tree is */

enum rail { RAIL_NONE, RAIL_BLANK, RAIL_LINE };

struct level {
	size_t rails; /* printed before the children of this node */
	const char *module;
};

struct view {
	FILE *out;
	const struct tree *tree;
	const struct show_options *options;
	bool down, headless; /* headless: there is one root, and it has no name */
	struct vec(unsigned char) rails;
	struct vec(struct level) levels;
	uint64_t rows;
};

static double percent(const struct view *v, uint64_t weight)
{
	return v->tree->all ? 100.0 * weight / v->tree->all : 0;
}

static void show_group(struct view *v, const struct group *g)
{
	const char *between = "";
	char buffer[32];

	for (size_t i = 0; i < v->options->nr_columns; i++) {
		enum key key = v->options->column[i];

		fprintf(v->out, "%s%s", between, key == KEY_PID ? "pid " : key == KEY_TID ? "tid " : "");
		text_write(v->out, cell(buffer, sizeof(buffer), key, g, NULL, 0), TEXT_TERMINAL);
		between = " ";
	}
}

static void show_percents(const struct view *v, const struct tree_node *n)
{
	bool color = v->options->color;
	double total = percent(v, n->total), self = percent(v, n->self);

	fprintf(v->out, "%s%7.2f%%%s  ", color_of(color, total), total, color_end(color, total));
	if (v->down)
		fprintf(v->out, "%s%7.2f%%%s  ", color_of(color, self), self, color_end(color, self));
}

static void show_rails(const struct view *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		fputs(v->rails.v[i] == RAIL_LINE ? (v->options->ascii ? "|  " : "│  ") : "   ", v->out);
}

/* Print the branch to the node of @s, and set the rails for its children. */
static int show_branch(struct view *v, const struct tree_step *s, struct level *level)
{
	bool root = s->depth <= v->headless, branch = !root && !s->alone;

	v->rails.nr = level->rails = root ? 0 : v->levels.v[s->depth - 1].rails;
	show_rails(v, level->rails);
	if (branch && v->options->ascii)
		fputs("|- ", v->out);
	else if (branch)
		fputs(s->last ? "└─ " : "├─ ", v->out);
	if (root || branch) {
		level->rails++;
		return vec_push(&v->rails, branch && !s->last ? RAIL_LINE : RAIL_BLANK);
	}
	return 0;
}

/* Print the function of @n behind @rails, and its module, if @module is not "". */
static void show_name(const struct view *v, const struct tree_node *n, size_t rails, const char *module)
{
	const char *name = label_function(v->tree->labels, n->label), *note = n->recursive ? "  [recursive]" : "";
	size_t used = (v->down ? 20 : 10) + 3 * rails + strlen(note), room = NAME_WIDTH;
	char buffer[SHORT_NAME_ROOM];

	if (*module)
		used += text_width(module, TEXT_TERMINAL) + strlen("  ()");
	if (v->options->width)
		room = v->options->width > used + MIN_WIDTH ? v->options->width - used : MIN_WIDTH;
	text_write(v->out, v->options->full_names ? name : short_name(name, room, buffer), TEXT_TERMINAL);
	if (*module) {
		fputs("  (", v->out);
		text_write(v->out, module, TEXT_TERMINAL);
		putc(')', v->out);
	}
	fputs(note, v->out);
}

static int show_line(void *ctx, const struct tree_step *s)
{
	struct view *v = ctx;
	const struct labels *l = v->tree->labels;
	struct level level = {0, ""};
	bool same;

	if (ferror(v->out) || (v->options->max_rows && v->rows == v->options->max_rows))
		return 1;
	if (!s->depth && v->headless)
		return vec_push(&v->levels, level);
	v->rows++;
	v->levels.nr = s->depth;
	show_percents(v, s->node);
	if (show_branch(v, s, &level))
		return -ENOMEM;
	if (!s->depth) {
		show_group(v, &v->tree->groups->v[s->node->label]);
	} else {
		level.module = label_module(l, s->node->label);
		same = !strcmp(level.module, v->levels.v[s->depth - 1].module);
		show_name(v, s->node, level.rails, same ? "" : level.module);
	}
	putc('\n', v->out);
	return vec_push(&v->levels, level);
}

static int show_csv(void *ctx, const struct tree_step *s)
{
	struct view *v = ctx;
	const struct tree_node *n = s->node;
	const struct group *g = s->depth ? NULL : &v->tree->groups->v[n->label];
	char buffer[32];

	if (ferror(v->out) || (v->options->max_rows && v->rows++ == v->options->max_rows))
		return 1;
	fprintf(v->out, "%" PRIu32 ",%.4f,", s->depth, percent(v, n->total));
	if (v->tree->by == BY_COUNT)
		fprintf(v->out, "%" PRIu64 ",%" PRIu64 ",", n->total, n->self);
	else
		fprintf(v->out, "%.6f,%.6f,", n->total / 1e6, n->self / 1e6);
	text_csv(v->out, g ? "" : label_function(v->tree->labels, n->label));
	putc(',', v->out);
	text_csv(v->out, g ? "" : label_module(v->tree->labels, n->label));
	for (size_t i = 0; i < v->options->nr_columns; i++) {
		putc(',', v->out);
		text_csv(v->out, g ? cell(buffer, sizeof(buffer), v->options->column[i], g, NULL, 0) : "");
	}
	putc('\n', v->out);
	return 0;
}

static int show_object(void *ctx, const struct tree_step *s)
{
	struct view *v = ctx;
	const struct tree_node *n = s->node;
	struct json j = {.out = v->out};

	if (ferror(v->out) || (v->options->max_rows && v->rows++ == v->options->max_rows))
		return 1;
	json_object(&j, NULL);
	json_u64(&j, "depth", s->depth);
	json_double(&j, "total_percent", percent(v, n->total));
	if (v->tree->by == BY_COUNT) {
		json_u64(&j, "total", n->total);
		json_u64(&j, "self", n->self);
	} else {
		json_double(&j, "total_ms", n->total / 1e6);
		json_double(&j, "self_ms", n->self / 1e6);
	}
	if (s->depth) {
		json_string(&j, "function", label_function(v->tree->labels, n->label));
		json_string(&j, "dso", label_module(v->tree->labels, n->label));
	} else {
		const struct group *g = &v->tree->groups->v[n->label];

		for (size_t i = 0; i < v->options->nr_columns; i++) {
			enum key key = v->options->column[i];

			if (key == KEY_COMM || key == KEY_STATE)
				json_string(&j, key_name(key), key == KEY_COMM ? g->comm : g->state);
			else if (key & KEYS_OF_LABELS)
				json_string(&j, key_name(key), g->label[label_of_key(key)]);
			else
				json_i64(&j, key_name(key), key == KEY_PID ? g->pid : g->tid);
		}
	}
	json_object_end(&j);
	putc('\n', v->out);
	return 0;
}

static void show_columns(const struct view *v)
{
	enum measure by = v->tree->by;
	const char *fixed[] = {
		"depth", "total_percent", column_name(KEY_TOTAL, by), column_name(KEY_SELF, by), "function", "dso",
	};
	bool json = v->options->form == SHOW_NDJSON;
	struct json j = {.out = v->out};

	if (json) {
		json_object(&j, NULL);
		json_string(&j, "schema", v->down ? "dusk-tree-1" : "dusk-callers-1");
		json_array(&j, "columns");
	}
	for (size_t i = 0; i < 6 + v->options->nr_columns; i++) {
		const char *name = i < 6 ? fixed[i] : key_name(v->options->column[i - 6]);

		if (json)
			json_string(&j, NULL, name);
		else
			fprintf(v->out, "%s%s", i ? "," : "", name);
	}
	if (json) {
		json_array_end(&j);
		json_object_end(&j);
	}
	putc('\n', v->out);
}

int tree_show(FILE *out, const struct tree *t, enum tree_direction direction, const struct show_options *o)
{
	struct view v = {
		.out = out,
		.tree = t,
		.options = o,
		.down = direction == TREE_DOWN,
		.headless = !o->nr_columns,
	};
	int err;

	if (o->form == SHOW_TEXT) {
		fputs(v.down ? "#  Total      Self  Called functions below their callers\n"
			     : "#  Total  Callers below the functions that they called\n",
		      out);
		err = tree_walk(t, show_line, &v);
	} else {
		show_columns(&v);
		err = tree_walk(t, o->form == SHOW_CSV ? show_csv : show_object, &v);
	}
	vec_done(&v.rails);
	vec_done(&v.levels);
	return err < 0 ? err : 0;
}
