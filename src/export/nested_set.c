/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to a nested set: the call tree as rows, depth first, each with its level. It is what the flame graph panel of Grafana
 * takes from a data source of JSON, with the fields level, label, value and self.
 *
 * Level 0 is all, level 1 the tasks by name, as folded stacks begin with them. A value is the sum of the self of its node and of
 * all below it.
 */
#include "base/cleanup.h"
#include "base/json.h"
#include "export/export.h"
#include "export/names.h"
#include "report/model/tree.h"

struct writer {
	struct json json;
	const struct tree *tree;
	const struct names *names;
};

static void put_row(struct writer *w, uint32_t level, const char *label, uint64_t value, uint64_t self)
{
	json_object(&w->json, NULL);
	json_u64(&w->json, "level", level);
	json_string(&w->json, "label", label);
	json_u64(&w->json, "value", value);
	json_u64(&w->json, "self", self);
	json_object_end(&w->json);
}

static int visit(void *ctx, const struct tree_step *s)
{
	struct writer *w = ctx;
	const char *comm = s->depth ? NULL : w->tree->groups->v[s->node->label].comm;

	put_row(w, s->depth + 1,
		s->depth ? w->names->function[s->node->label]
		: *comm	 ? comm
			 : "?",
		s->node->total, s->node->self);
	return 0;
}

int nested_set_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	const struct tree_options options = {TREE_DOWN, KEY_COMM, 0, o->by};
	_cleanup_(tree_freep) struct tree *tree = NULL;
	_cleanup_(names_freep) struct names *names = NULL;
	struct writer w = {.json = {.out = out}};
	int err = tree_new(&tree, p, &options);

	err = err ?: names_of_labels(&names, tree->labels);
	if (err)
		return err;
	w.tree = tree;
	w.names = names;
	json_array(&w.json, NULL);
	put_row(&w, 0, "total", tree->all, 0);
	err = tree_walk(tree, visit, &w);
	json_array_end(&w.json);
	putc('\n', out);
	return err;
}
