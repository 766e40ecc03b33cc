/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compare the weights of functions or stacks in two profiles. See diff.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "report/model/diff.h"
#include "report/model/table.h"
#include "report/model/tree.h"

#define LEAST_EXPECTED 5 /* samples on each side for which the normal distribution is used */

struct merger {
	struct diff *diff;
	int side;
	struct vec(struct diff_row) rows;
	struct map row_of;  /* key -> row */
	struct map path_of; /* (path, name) -> path */

	/* Of the profile that is being merged: */
	const struct labels *labels;
	uint32_t *name_of;	  /* by label: number of diff->names */
	struct vec(uint32_t) way; /* the path of each depth, from the outermost frame to the current node */
};

/* Number the label @text: { function; 0; module; 0; rest }. A function of the program is the same on both sides. */
static int number_label(struct merger *m, const char *text, size_t bytes, uint32_t *ret)
{
	const char *const *program = m->diff->options.program;
	size_t module = strlen(text) + 1, rest, name;
	_cleanup_(freep) char *other = NULL;

	if (m->side != BEFORE || !program[BEFORE] || module >= bytes || strcmp(text + module, program[BEFORE]) != 0)
		return strings_number(&m->diff->names, text, bytes, ret, NULL);
	name = strlen(program[AFTER]);
	rest = module + strlen(program[BEFORE]);
	other = malloc(module + name + bytes - rest);
	if (!other)
		return -ENOMEM;
	memcpy(other, text, module);
	memcpy(other + module, program[AFTER], name);
	memcpy(other + module + name, text + rest, bytes - rest);
	return strings_number(&m->diff->names, other, module + name + bytes - rest, ret, NULL);
}

static int number_labels(struct merger *m, const struct labels *l)
{
	int err = 0;

	m->labels = l;
	free(m->name_of);
	m->name_of = calloc(l->names.nr + 1, sizeof(*m->name_of));
	if (!m->name_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->names.nr && !err; i++)
		err = number_label(m, l->names.entries[i].text, l->names.entries[i].len_bytes, &m->name_of[i]);
	return err;
}

static int count(struct merger *m, uint32_t key, uint64_t samples)
{
	bool fresh;
	uint32_t *row = map_at(&m->row_of, key, &fresh);

	if (!row)
		return -ENOMEM;
	if (fresh) {
		*row = m->rows.nr;
		if (vec_push(&m->rows, (struct diff_row){.key = key}))
			return -ENOMEM;
	}
	m->rows.v[*row].count[m->side] += samples;
	return 0;
}

static int merge_functions(struct merger *m, const struct dusk_profile *p)
{
	const struct diff_options *o = &m->diff->options;
	_cleanup_(table_freep) struct table *t = NULL;
	int err = table_new(&t, p, KEY_FUNCTION | KEY_DSO, o->by);

	if (!err)
		err = number_labels(m, t->labels);
	if (err)
		return err;
	m->diff->samples[m->side] = t->all;
	memcpy(m->diff->selected[m->side], t->selected, sizeof(t->selected));
	for (size_t i = 0; i < t->nr && !err; i++) {
		uint64_t samples = o->total ? t->rows[i].total : t->rows[i].self;

		if (samples)
			err = count(m, m->name_of[t->rows[i].label], samples);
	}
	return err;
}

/* Find or add the path that extends @parent by @name. */
static int step(struct merger *m, uint32_t parent, uint32_t name, uint32_t *ret)
{
	bool fresh;
	uint32_t *path = map_at(&m->path_of, (uint64_t)parent << 32 | name, &fresh);

	if (!path)
		return -ENOMEM;
	if (fresh) {
		*path = m->diff->paths.nr;
		if (vec_push(&m->diff->paths, ((struct diff_path){parent, name})))
			return -ENOMEM;
	}
	*ret = *path;
	return 0;
}

/* The root, at depth 0, stands for all tasks: path 0. */
static int visit(void *ctx, const struct tree_step *s)
{
	struct merger *m = ctx;
	uint32_t path = 0;

	m->way.nr = s->depth;
	if (s->depth && step(m, m->way.v[s->depth - 1], m->name_of[s->node->label], &path))
		return -ENOMEM;
	if (vec_push(&m->way, path))
		return -ENOMEM;
	return s->node->self ? count(m, path, s->node->self) : 0;
}

static int merge_stacks(struct merger *m, const struct dusk_profile *p)
{
	struct tree_options o = {TREE_DOWN, 0, 0, m->diff->options.by};
	_cleanup_(tree_freep) struct tree *t = NULL;
	int err = tree_new(&t, p, &o);

	if (!err)
		err = number_labels(m, t->labels);
	if (err)
		return err;
	m->diff->samples[m->side] = t->all;
	memcpy(m->diff->selected[m->side], t->selected, sizeof(t->selected));
	return tree_walk(t, visit, m);
}

static int compare(const void *first, const void *second, void *ctx)
{
	const struct diff_row *a = first, *b = second;
	const struct diff *d = ctx;
	double x = fabs(diff_delta(d, a)), y = fabs(diff_delta(d, b));
	int order = 0;

	if (x != y)
		return x > y ? -1 : 1;
	if (!d->options.stacks)
		order = strcmp(strings_text(&d->names, a->key), strings_text(&d->names, b->key));
	return order ? order : (a->key > b->key) - (a->key < b->key);
}

static int merge(struct merger *m, const struct dusk_profile *const sides[2])
{
	struct diff *d = m->diff;
	int err = vec_push(&d->paths, ((struct diff_path){0, 0}));

	for (m->side = BEFORE; m->side <= AFTER && !err; m->side++) {
		d->sample_s[m->side] = (d->options.by == BY_TIME ? 1 : sides[m->side]->period_ns) / 1e9;
		err = (d->options.stacks ? merge_stacks : merge_functions)(m, sides[m->side]);
	}
	if (err)
		return err;
	d->nr = m->rows.nr;
	d->rows = vec_steal(&m->rows);
	if (d->nr)
		qsort_r(d->rows, d->nr, sizeof(*d->rows), compare, d);
	return 0;
}

int diff_new(struct diff **ret, const struct dusk_profile *before, const struct dusk_profile *after,
	     const struct diff_options *o)
{
	const struct dusk_profile *const sides[2] = {before, after};
	_cleanup_(diff_freep) struct diff *d = calloc(1, sizeof(*d));
	struct merger m = {.diff = d};
	int err;

	if (!d)
		return -ENOMEM;
	d->options = *o;
	err = merge(&m, sides);
	vec_done(&m.rows);
	vec_done(&m.way);
	map_done(&m.row_of);
	map_done(&m.path_of);
	free(m.name_of);
	if (err)
		return err;
	*ret = steal(d);
	return 0;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	strings_done(&d->names);
	vec_done(&d->paths);
	free(d->rows);
	free(d);
}

double diff_weight(const struct diff *d, const struct diff_row *r, int side)
{
	if (d->options.absolute)
		return r->count[side] * d->sample_s[side];
	return d->samples[side] ? 100.0 * r->count[side] / d->samples[side] : 0;
}

double diff_delta(const struct diff *d, const struct diff_row *r)
{
	return diff_weight(d, r, AFTER) - diff_weight(d, r, BEFORE);
}

/* The samples of a row, distributed over the two sides. */
struct spread {
	bool shares;
	double all[2];	  /* shares: samples of each side */
	double nr, after; /* samples of the row: on both sides; on the side AFTER */
	double expected;  /* the part of nr that is on the side AFTER if nothing has changed */
};

static double log_choose(double n, double k)
{
	int sign;

	return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign);
}

/* The logarithm of the probability that @after samples of the row are on the side AFTER. */
static double log_probability(const struct spread *s, double after)
{
	if (s->shares)
		return log_choose(s->all[BEFORE], s->nr - after) + log_choose(s->all[AFTER], after) -
		       log_choose(s->all[BEFORE] + s->all[AFTER], s->nr);
	return log_choose(s->nr, after) + after * log(s->expected) + (s->nr - after) * log(1 - s->expected);
}

/* The sum of the probabilities of all distributions that are no more probable than the counted one. */
static double exact_chance(const struct spread *s)
{
	double first = s->shares ? fmax(0, s->nr - s->all[BEFORE]) : 0;
	double last = s->shares ? fmin(s->nr, s->all[AFTER]) : s->nr;
	double counted = log_probability(s, s->after) + 1e-9, sum = 0;

	for (double i = first; i <= last; i++) {
		double p = log_probability(s, i);

		if (p <= counted)
			sum += exp(p);
	}
	return fmin(sum, 1);
}

static double normal_chance(const struct spread *s)
{
	double share = s->nr / (s->all[BEFORE] + s->all[AFTER]);
	double variance = s->nr * s->expected * (1 - s->expected) * (s->shares ? 1 - share : 1);

	return erfc(fabs(s->after - s->nr * s->expected) / sqrt(2 * variance));
}

double diff_chance(const struct diff *d, const struct diff_row *r)
{
	struct spread s = {
		.shares = !d->options.absolute,
		.all = {d->samples[BEFORE], d->samples[AFTER]},
		.nr = r->count[BEFORE] + r->count[AFTER],
		.after = r->count[AFTER],
	};
	double rest = s.all[BEFORE] + s.all[AFTER] - s.nr, least;

	if (d->options.by == BY_TIME)
		return 1;
	if (s.shares)
		s.expected = s.all[AFTER] / (s.all[BEFORE] + s.all[AFTER]);
	else
		s.expected = d->sample_s[BEFORE] / (d->sample_s[BEFORE] + d->sample_s[AFTER]);
	if (!(s.expected > 0 && s.expected < 1))
		return 1;
	least = fmin(s.expected, 1 - s.expected) * (s.shares ? fmin(s.nr, rest) : s.nr);
	return least >= LEAST_EXPECTED ? normal_chance(&s) : exact_chance(&s);
}

const char *diff_mark(double chance)
{
	return chance < 0.001 ? "***" : chance < 0.01 ? "**" : chance < 0.05 ? "*" : "";
}
