/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to folded stacks: one line for each distinct stack of names, from the outermost function to the innermost,
 * with a number of samples or nanoseconds.
 *
 * The task comes first, in the form of stackcollapse-perf.pl: "comm", "comm-pid" or "comm-pid/tid". Samples without a
 * frame have lines, too, so that the counts add up to all samples. Reversed, lines are as flamegraph.pl --reverse would
 * make them: from the innermost function to the outermost, and the task last.
 */
#include <errno.h>
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "export/export.h"
#include "export/names.h"
#include "report/text.h"
#include "report/model/tree.h"

struct folder {
	FILE *out;
	const struct tree *tree;
	const struct names *names;
	const struct export_options *options;
	struct vec(const struct tree_node *) path; /* from the root, which is the task */
};

static void write_task(const struct folder *f, const struct group *g)
{
	for (size_t i = 0; i < f->options->by_label.nr; i++) {
		enum thread_label which = f->options->by_label.v[i];

		if (*g->label[which])
			text_write(f->out, g->label[which], TEXT_FOLDED);
		else
			fprintf(f->out, "[no %s]", thread_label_name(which));
		putc(';', f->out);
	}
	text_write(f->out, *g->comm ? g->comm : "?", TEXT_WORD);
	if (f->options->pid || f->options->tid)
		fprintf(f->out, "-%d", g->pid);
	if (f->options->tid)
		fprintf(f->out, "/%d", g->tid);
}

static void write_function(const struct folder *f, uint32_t label)
{
	text_write(f->out, f->names->function[label], TEXT_FOLDED);
	if (f->options->annotate && f->names->labels->kernel[label])
		fputs("_[k]", f->out);
}

static void write_stack(const struct folder *f)
{
	size_t nr = f->path.nr;

	for (size_t i = 0; i < nr; i++) {
		size_t at = f->options->reverse ? nr - 1 - i : i;
		uint32_t label = f->path.v[at]->label;

		if (i)
			putc(';', f->out);
		if (at)
			write_function(f, label);
		else
			write_task(f, &f->tree->groups->v[label]);
	}
	fprintf(f->out, " %" PRIu64 "\n", f->path.v[nr - 1]->self);
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
	struct tree_options options = {TREE_DOWN, 0, 0, o->by};
	_cleanup_(tree_freep) struct tree *tree = NULL;
	_cleanup_(names_freep) struct names *names = NULL;
	struct folder f = {.out = out, .options = o};
	int err;

	for (size_t i = 0; i < o->by_label.nr; i++)
		keys |= key_of_label(o->by_label.v[i]);
	options.keys = keys;
	err = tree_new(&tree, p, &options);
	if (!err)
		err = names_of_labels(&names, tree->labels);
	if (err)
		return err;
	f.tree = tree;
	f.names = names;
	err = tree_walk(tree, visit, &f);
	vec_done(&f.path);
	return err < 0 ? err : 0;
}
