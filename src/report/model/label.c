/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Give each frame the name that views show. See label.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "report/model/label.h"

#define SOURCE_LINE_BITS 20 /* the lowest bits of offsets in source files are the line: doc/format.md */

struct maker {
	struct labels *labels;
	unsigned int parts; /* enum label_part */
	uint32_t *which;    /* by frame: how many functions of the same name and file begin before this one */
	struct vec(char) text;
};

const char *module_name(const struct dusk_profile *p, uint32_t module)
{
	const struct dusk_module *m = &p->modules[module];
	const char *slash;

	if (!module)
		return "";
	slash = m->kind == DUSK_MODULE_FILE || m->kind == DUSK_MODULE_SOURCE ? strrchr(m->path, '/') : NULL;
	return slash && slash[1] ? slash + 1 : m->path;
}

static int append(struct maker *m, const char *s)
{
	do
		if (vec_push(&m->text, *s))
			return -ENOMEM;
	while (*s++);
	return 0;
}

/* A frame in a file, and where its function begins; of a source file, a number for each function. */
struct beginning {
	uint32_t module, function;
	uint64_t start;
	uint32_t frame;
};

/* Has @f such a beginning? Stores it in @ret. */
static bool find_beginning(const struct dusk_profile *p, const struct dusk_frame *f, uint64_t *ret)
{
	enum dusk_module_kind kind = p->modules[f->module].kind;

	if (!f->function || f->is_inlined)
		return false;
	*ret = kind == DUSK_MODULE_SOURCE ? f->offset >> SOURCE_LINE_BITS : f->address - f->function_offset;
	return kind == DUSK_MODULE_SOURCE ||
	       (kind == DUSK_MODULE_FILE && f->function_offset >= f->is_return && f->function_offset != UINT32_MAX);
}

static int by_start(const void *first, const void *second)
{
	const struct beginning *a = first, *b = second;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* Tell apart functions of one name by where they begin. Where that is not known, as of inlined ones, the name is all. */
static int tell_apart(struct maker *m)
{
	const struct dusk_profile *p = m->labels->profile;
	struct vec(struct beginning) all = {0};

	m->which = calloc(p->nr_frames + 1, sizeof(*m->which));
	for (uint32_t i = 1; m->which && i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		struct beginning b = {f->module, f->function, 0, i};

		if (!find_beginning(p, f, &b.start))
			continue;
		if (vec_push(&all, b)) {
			vec_done(&all);
			return -ENOMEM;
		}
	}
	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), by_start);
	for (size_t i = 1; i < all.nr; i++) {
		const struct beginning *b = &all.v[i], *last = b - 1;

		if (b->module == last->module && b->function == last->function)
			m->which[b->frame] = m->which[last->frame] + (b->start != last->start);
	}
	vec_done(&all);
	return m->which ? 0 : -ENOMEM;
}

static int number(struct maker *m, const char *function, const char *module, const char *line, uint32_t which,
		  uint32_t *ret)
{
	char other[16] = "";

	if (which && m->parts & LABEL_FUNCTION)
		snprintf(other, sizeof(other), "%010" PRIu32, which);
	m->text.nr = 0;
	if (append(m, m->parts & LABEL_FUNCTION ? function : "") || append(m, module) ||
	    append(m, m->parts & LABEL_LINE ? line : "") || append(m, other))
		return -ENOMEM;
	return strings_number(&m->labels->names, m->text.v, m->text.nr, ret, NULL);
}

static int label_frame(struct maker *m, uint32_t frame)
{
	const struct dusk_profile *p = m->labels->profile;
	const struct dusk_frame *f = &p->frames[frame];
	const char *module = f->function && *p->functions[f->function].module ? p->functions[f->function].module
									      : module_name(p, f->module);
	const struct dusk_line *l = frame_line(p, f);
	uint32_t *ret = &m->labels->of_frame[frame];
	char place[512], line[PATH_MAX + 16] = "[no line]";

	if (*l->file && l->line)
		snprintf(line, sizeof(line), "%s:%u", l->file, l->line);
	else if (*l->file)
		snprintf(line, sizeof(line), "%s", l->file);
	if (f->function)
		return number(m, p->functions[f->function].name, module, line, m->which[frame], ret);
	snprintf(place, sizeof(place), "%s+0x%" PRIx64, *module ? module : "[unknown]", f->address);
	return number(m, place, module, line, 0, ret);
}

static int label_outcome(struct maker *m, uint32_t outcome)
{
	char name[128];

	snprintf(name, sizeof(name), "[no stack: %s]", m->labels->profile->outcomes[outcome].name);
	return number(m, name, m->parts ? "" : name, name, 0, &m->labels->of_outcome[outcome]);
}

static void mark_kernel(struct labels *l)
{
	const struct dusk_profile *p = l->profile;

	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (p->modules[p->frames[i].module].kind == DUSK_MODULE_KERNEL)
			l->kernel[l->of_frame[i]] = true;
}

int labels_new(struct labels **ret, const struct dusk_profile *p, unsigned int parts)
{
	_cleanup_(labels_freep) struct labels *l = calloc(1, sizeof(*l));
	struct maker m = {.labels = l, .parts = parts};
	int err = 0;

	if (!l)
		return -ENOMEM;
	l->profile = p;
	l->of_frame = calloc(p->nr_frames + 1, sizeof(*l->of_frame));
	l->of_outcome = calloc(p->nr_outcomes + 1, sizeof(*l->of_outcome));
	if (!l->of_frame || !l->of_outcome)
		return -ENOMEM;
	err = tell_apart(&m);
	for (uint32_t i = 1; i < p->nr_frames && !err; i++)
		err = label_frame(&m, i);
	for (uint32_t i = 0; i < p->nr_outcomes && !err; i++)
		err = label_outcome(&m, i);
	vec_done(&m.text);
	free(m.which);
	if (err)
		return err;
	l->kernel = calloc(l->names.nr + 1, sizeof(*l->kernel));
	if (!l->kernel)
		return -ENOMEM;
	mark_kernel(l);
	*ret = steal(l);
	return 0;
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	strings_done(&l->names);
	free(l->of_frame);
	free(l->of_outcome);
	free(l->kernel);
	free(l);
}

const char *label_function(const struct labels *l, uint32_t label)
{
	return strings_text(&l->names, label);
}

const char *label_module(const struct labels *l, uint32_t label)
{
	const char *function = label_function(l, label);

	return function + strlen(function) + 1;
}

const char *label_line(const struct labels *l, uint32_t label)
{
	const char *module = label_module(l, label);

	return module + strlen(module) + 1;
}

static const char *label_which(const struct labels *l, uint32_t label)
{
	const char *line = label_line(l, label);

	return line + strlen(line) + 1;
}

int label_compare(const struct labels *l, uint32_t a, uint32_t b)
{
	int order = strcmp(label_function(l, a), label_function(l, b));

	order = order ? order : strcmp(label_module(l, a), label_module(l, b));
	order = order ? order : strcmp(label_line(l, a), label_line(l, b));
	return order ? order : strcmp(label_which(l, a), label_which(l, b));
}
