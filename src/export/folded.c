/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folded stacks: one line for each distinct stack of names, from the outermost function to the innermost, and a count.
 *
 * The task comes first, written as stackcollapse-perf.pl does: "comm", "comm-pid" or "comm-pid/tid". Samples without a
 * frame are lines too: the counts add up to all samples.
 */
#include <inttypes.h>
#include "base/vec.h"
#include "export/export.h"
#include "report/text.h"
#include "report/tree.h"

struct folder {
	FILE *out;
	const struct tree *tree;
	const struct export_options *options;
	struct vec(const struct tree_node *) path;
};

static void write_task(const struct folder *f, const struct group *g)
{
	text_write(f->out, *g->comm ? g->comm : "?", TEXT_WORD);
	if (f->options->pid || f->options->tid)
		fprintf(f->out, "-%d", g->pid);
	if (f->options->tid)
		fprintf(f->out, "/%d", g->tid);
}

static void write_stack(const struct folder *f)
{
	const struct labels *l = f->tree->labels;

	write_task(f, &f->tree->groups->v[f->path.v[0]->label]);
	for (size_t i = 1; i < f->path.nr; i++) {
		uint32_t label = f->path.v[i]->label;

		putc(';', f->out);
		text_write(f->out, label_function(l, label), TEXT_FOLDED);
		if (f->options->annotate && l->kernel[label])
			fputs("_[k]", f->out);
	}
	fprintf(f->out, " %" PRIu64 "\n", f->path.v[f->path.nr - 1]->self);
}

static int visit(void *ctx, const struct tree_step *s)
{
	struct folder *f = ctx;

	if (ferror(f->out))
		return 1;
	f->path.nr = s->depth;
	if (vec_push(&f->path, s->node))
		return -ENOMEM;
	if (s->node->self)
		write_stack(f);
	return 0;
}

int folded_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	unsigned int keys = KEY_COMM | (o->pid || o->tid ? KEY_PID : 0) | (o->tid ? KEY_TID : 0);
	struct tree_options options = {TREE_DOWN, keys, 0, &(struct selection){0}};
	struct folder f = {.out = out, .options = o};
	struct tree *tree;
	int err = tree_new(&tree, p, &options);

	if (err)
		return err;
	f.tree = tree;
	err = tree_walk(tree, visit, &f);
	vec_done(&f.path);
	tree_free(tree);
	return err < 0 ? err : 0;
}
