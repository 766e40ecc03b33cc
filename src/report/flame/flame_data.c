/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write the data of the page. See flame_data.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/memstream.h"
#include "report/flame/flame_data.h"
#include "report/flame/flame_graph.h"
#include "report/flame/flame_rows.h"
#include "report/model/completeness.h"

#define FORMAT 2
#define NAME_MAX_BYTES 1000
#define SIDES 2

static const struct {
	const char *kind, *title;
} kinds[] = {
	[DUSK_CPU] = {"cpu", "on CPU"},
	[DUSK_OFF_CPU] = {"off-cpu", "off CPU"},
	[DUSK_EVENT] = {"event", NULL}, /* the event's name */
};

/* The rows of one source in one profile. */
struct series {
	uint32_t side;
	enum dusk_source source;
	const struct flame_row *row;
	size_t nr;
	uint64_t samples, weight_ns, unit_ns;
	bool weighs_samples; /* each row's weight is its number of samples */
	char column[7][32];  /* names */
};

struct writer {
	const struct flame_page *page;
	struct flame_graph graph;
	struct flame_rows rows[SIDES];
	struct vec(struct series) series;
	struct json j;
	struct columns *columns;
};

static void writer_done(struct writer *w)
{
	flame_graph_done(&w->graph);
	for (int i = 0; i < SIDES; i++)
		flame_rows_done(&w->rows[i]);
	vec_done(&w->series);
}

static int make_rows(struct writer *w)
{
	_cleanup_(freep) uint32_t *first = NULL, *second = NULL;
	uint32_t **node[SIDES] = {&first, &second};
	int err = 0;

	for (uint32_t i = 0; i < w->page->nr && !err; i++) {
		*node[i] = calloc(w->page->profile[i]->nr_samples + 1, sizeof(uint32_t));
		err = *node[i] ? flame_graph_add(&w->graph, w->page->profile[i], &w->page->by, *node[i]) : -ENOMEM;
	}
	if (!err)
		err = flame_graph_sort(&w->graph);
	for (uint32_t i = 0; i < w->page->nr && !err; i++) {
		for (uint64_t k = 0; k < w->page->profile[i]->nr_samples; k++)
			(*node[i])[k] = w->graph.nodes.v[(*node[i])[k]].rank;
		err = flame_rows_init(&w->rows[i], w->page->profile[i], *node[i]);
	}
	return err;
}

/* Split the rows of a side into series, where the source changes. */
static int split_rows(struct writer *w, uint32_t side)
{
	const struct flame_row *row = w->rows[side].v.v;
	struct series *s = NULL;

	for (size_t i = 0; i < w->rows[side].v.nr; i++) {
		if (!s || s->source != row[i].source) {
			s = vec_add(&w->series);
			if (!s)
				return -ENOMEM;
			s->side = side;
			s->source = row[i].source;
			s->row = &row[i];
		}
		s->nr++;
	}
	return 0;
}

static uint64_t in_units(const struct series *s, uint64_t ns)
{
	return (ns + s->unit_ns / 2) / s->unit_ns;
}

/* Weights are samples if each stands for the same time; else microseconds times a power of ten, to fit 32 bits. */
static void choose_unit(struct series *s)
{
	uint64_t most_ns = 0; /* no column may have a larger number than 32 bits can hold */

	s->unit_ns = s->row[0].samples ? s->row[0].weight_ns / s->row[0].samples : 0;
	s->weighs_samples = s->unit_ns;
	for (size_t i = 0; i < s->nr; i++) {
		s->samples += s->row[i].samples;
		s->weight_ns += s->row[i].weight_ns;
		most_ns = s->row[i].weight_ns > most_ns ? s->row[i].weight_ns : most_ns;
		most_ns = s->row[i].longest_ns > most_ns ? s->row[i].longest_ns : most_ns;
		s->weighs_samples &= s->row[i].weight_ns == s->unit_ns * s->row[i].samples;
	}
	if (!s->weighs_samples)
		for (s->unit_ns = 1000; in_units(s, most_ns) > UINT32_MAX;)
			s->unit_ns *= 10;
}

/* ---- The columns ---- */

static void put_labels(struct writer *w, const uint32_t *module)
{
	const struct flame_graph *g = &w->graph;

	columns_begin(w->columns, "label.module", false);
	for (uint32_t i = 0; i < g->labels.nr; i++)
		columns_add(w->columns, module[g->labels.v[g->by_rank[i]].module] - 1);
	columns_begin(w->columns, "label.kind", false);
	for (uint32_t i = 0; i < g->labels.nr; i++)
		columns_add(w->columns, g->labels.v[g->by_rank[i]].kind);
}

static void put_nodes(struct writer *w)
{
	const struct flame_graph *g = &w->graph;

	columns_begin(w->columns, "node.depth", true);
	for (uint32_t i = 0; i < g->nodes.nr; i++)
		columns_add(w->columns, g->nodes.v[g->preorder[i]].depth);
	columns_begin(w->columns, "node.label", false);
	for (uint32_t i = 0; i < g->nodes.nr; i++)
		columns_add(w->columns, g->labels.v[g->nodes.v[g->preorder[i]].label].rank);
}

static void put_places(struct writer *w, const uint32_t *file)
{
	const struct flame_graph *g = &w->graph;

	columns_begin(w->columns, "place.node", true);
	for (size_t i = 0; i < g->places.nr; i++)
		columns_add(w->columns, g->nodes.v[g->places.v[i].node].rank);
	columns_begin(w->columns, "place.file", true);
	for (size_t i = 0; i < g->places.nr; i++)
		columns_add(w->columns, file[g->places.v[i].file] - 1);
	columns_begin(w->columns, "place.line", true);
	for (size_t i = 0; i < g->places.nr; i++)
		columns_add(w->columns, g->places.v[i].line);
	columns_begin(w->columns, "place.samples", false);
	for (size_t i = 0; i < g->places.nr; i++)
		columns_add(w->columns, g->places.v[i].samples);
}

/* Does another thread or bucket begin with row @i? */
static bool begins_group(const struct series *s, size_t i)
{
	return !i || s->row[i].thread != s->row[i - 1].thread || s->row[i].bucket != s->row[i - 1].bucket;
}

static void put_groups(struct writer *w, struct series *s)
{
	columns_begin(w->columns, s->column[0], true);
	for (size_t i = 0; i < s->nr; i++)
		if (begins_group(s, i))
			columns_add(w->columns, s->row[i].thread);
	columns_begin(w->columns, s->column[1], true);
	for (size_t i = 0; i < s->nr; i++)
		if (begins_group(s, i))
			columns_add(w->columns, s->row[i].bucket);
	columns_begin(w->columns, s->column[2], false);
	for (size_t i = 0, end; i < s->nr; i = end) {
		for (end = i + 1; end < s->nr && !begins_group(s, end);)
			end++;
		columns_add(w->columns, end - i);
	}
}

static void put_series(struct writer *w, uint32_t number)
{
	static const char *const columns[] = {"thread", "bucket", "rows", "node", "samples", "weight", "longest"};
	struct series *s = &w->series.v[number];

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		snprintf(s->column[i], sizeof(s->column[i]), "%u.%s", number, columns[i]);
	put_groups(w, s);
	columns_begin(w->columns, s->column[3], true);
	for (size_t i = 0; i < s->nr; i++)
		columns_add(w->columns, s->row[i].node);
	columns_begin(w->columns, s->column[4], false);
	for (size_t i = 0; i < s->nr; i++)
		columns_add(w->columns, s->row[i].samples);
	if (!s->weighs_samples) {
		columns_begin(w->columns, s->column[5], false);
		for (size_t i = 0; i < s->nr; i++)
			columns_add(w->columns, in_units(s, s->row[i].weight_ns));
	}
	if (s->source == DUSK_OFF_CPU) {
		columns_begin(w->columns, s->column[6], false);
		for (size_t i = 0; i < s->nr; i++)
			columns_add(w->columns, in_units(s, s->row[i].longest_ns));
	}
}

/* ---- The JSON ---- */

/* Write @name, cut to at most NAME_MAX_BYTES of whole UTF-8 characters. */
static void put_name(struct json *j, const char *key, const char *name)
{
	char cut[NAME_MAX_BYTES + sizeof("…")];
	size_t len = strnlen(name, NAME_MAX_BYTES + 1);

	if (len <= NAME_MAX_BYTES) {
		json_string(j, key, name);
		return;
	}
	len = NAME_MAX_BYTES;
	while (len > NAME_MAX_BYTES - 4 && (name[len] & 0xc0) == 0x80)
		len--;
	memcpy(cut, name, len);
	strcpy(cut + len, "…");
	json_string(j, key, cut);
}

/* Write @string and set its @number, from 1, unless it has one already. */
static void put_string(struct writer *w, uint32_t *number, uint32_t *nr, uint32_t string)
{
	if (number[string])
		return;
	number[string] = ++*nr;
	put_name(&w->j, NULL, strings_text(&w->graph.strings, string));
}

static int put_names(struct writer *w)
{
	const struct flame_graph *g = &w->graph;
	_cleanup_(freep) uint32_t *module = calloc(g->strings.nr + 1, sizeof(*module));
	_cleanup_(freep) uint32_t *file = calloc(g->strings.nr + 1, sizeof(*file));
	uint32_t nr = 0;

	if (!module || !file)
		return -ENOMEM;
	json_array(&w->j, "names");
	for (uint32_t i = 0; i < g->labels.nr; i++)
		put_name(&w->j, NULL, strings_text(&g->strings, g->labels.v[g->by_rank[i]].name));
	json_array_end(&w->j);
	json_array(&w->j, "modules");
	for (uint32_t i = 0; i < g->labels.nr; i++)
		put_string(w, module, &nr, g->labels.v[g->by_rank[i]].module);
	json_array_end(&w->j);
	nr = 0;
	json_array(&w->j, "files");
	for (size_t i = 0; i < g->places.nr; i++)
		put_string(w, file, &nr, g->places.v[i].file);
	json_array_end(&w->j);
	put_labels(w, module);
	put_nodes(w);
	put_places(w, file);
	return 0;
}

/* Write a text of each thread of all profiles, once, as the array @key, and their numbers from @first as the column @name. */
static int put_texts(struct writer *w, const char *key, const char *name,
		     const char *(*text)(const struct dusk_thread *t), uint32_t first)
{
	_cleanup_(strings_done) struct strings texts = {0};
	struct vec(uint32_t) number_of = {0};
	int err = 0;

	json_array(&w->j, key);
	for (uint32_t side = 0; side < w->page->nr; side++) {
		const struct dusk_profile *p = w->page->profile[side];

		for (uint32_t i = 0; i < p->nr_threads && !err; i++) {
			const char *is = text(&p->threads[i]);
			uint32_t number = 0;
			bool fresh = false;

			if (*is || !first) {
				err = strings_number(&texts, is, strlen(is), &number, &fresh);
				number += first;
			}
			if (fresh)
				put_name(&w->j, NULL, is);
			err = err ? err : vec_push(&number_of, number);
		}
	}
	json_array_end(&w->j);
	columns_begin(w->columns, name, false);
	for (size_t i = 0; i < number_of.nr; i++)
		columns_add(w->columns, number_of.v[i]);
	vec_done(&number_of);
	return err;
}

static const char *comm_of(const struct dusk_thread *t)
{
	return t->comm;
}

static const char *title_of(const struct dusk_thread *t)
{
	return t->title ?: "";
}

static int put_threads(struct writer *w)
{
	int err;

	for (int column = 0; column < 2; column++) {
		columns_begin(w->columns, column ? "thread.tid" : "thread.pid", true);
		for (uint32_t side = 0; side < w->page->nr; side++)
			for (uint32_t i = 0; i < w->page->profile[side]->nr_threads; i++) {
				const struct dusk_thread *t = &w->page->profile[side]->threads[i];

				columns_add(w->columns, column ? t->tid : t->pid);
			}
	}
	err = put_texts(w, "comms", "thread.comm", comm_of, 0);
	return err ? err : put_texts(w, "titles", "thread.title", title_of, 1);
}

static void put_settings(struct json *j, const struct dusk_profile *p)
{
	json_array(j, "settings");
	for (uint32_t i = 0; i < p->nr_settings; i++) {
		json_array(j, NULL);
		json_string(j, NULL, p->settings[i].key);
		put_name(j, NULL, p->settings[i].value);
		json_array_end(j);
	}
	json_array_end(j);
}

static void put_outcomes(struct json *j, const struct dusk_profile *p, const struct completeness *l)
{
	static const char *const class_name[] = {
		[DUSK_COMPLETE] = "complete",
		[DUSK_CUT] = "cut",
		[DUSK_NO_STACK] = "no-stack",
		[DUSK_ABSENT] = "absent",
	};

	json_array(j, "outcomes");
	for (uint32_t i = 0; i < p->nr_outcomes; i++) {
		if (!l->outcome[i])
			continue;
		json_object(j, NULL);
		json_string(j, "name", p->outcomes[i].name);
		json_string(j, "sentence", p->outcomes[i].sentence);
		json_string(j, "class", class_name[p->outcomes[i].kind]);
		json_u64(j, "samples", l->outcome[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_counters(struct json *j, const struct dusk_profile *p)
{
	json_array(j, "counters");
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		const struct dusk_counter *c = &p->counters[i];

		if (!c->value)
			continue;
		json_object(j, NULL);
		json_string(j, "name", c->name);
		json_string(j, "sentence", c->sentence);
		json_u64(j, "value", c->value);
		json_bool(j, "loss", counter_is_loss(c));
		json_object_end(j);
	}
	json_array_end(j);
}

static int put_profile(struct writer *w, uint32_t side)
{
	const struct dusk_profile *p = w->page->profile[side];
	_cleanup_(completeness_done) struct completeness l = {0};
	struct json *j = &w->j;

	if (completeness_init(&l, p))
		return -ENOMEM;
	json_object(j, NULL);
	put_name(j, "name", w->page->name[side]);
	json_u64(j, "period_ns", p->period_ns);
	json_bool(j, "finished", p->finished);
	json_bool(j, "live", p->live);
	json_bool(j, "symbolized", p->symbolized);
	json_u64(j, "samples", p->nr_samples);
	json_u64(j, "bucket_ns", w->rows[side].bucket_ns);
	json_u64(j, "buckets", w->rows[side].nr_buckets);
	json_u64(j, "early_ns", w->rows[side].early_ns);
	json_u64(j, "threads", p->nr_threads);
	put_settings(j, p);
	put_outcomes(j, p, &l);
	put_counters(j, p);
	json_object_end(j);
	return 0;
}

static void put_series_list(struct writer *w)
{
	struct json *j = &w->j;

	json_array(j, "series");
	for (size_t i = 0; i < w->series.nr; i++) {
		const struct series *s = &w->series.v[i];

		json_object(j, NULL);
		json_u64(j, "profile", s->side);
		json_string(j, "kind", kinds[s->source].kind);
		json_string(j, "title", kinds[s->source].title ?: w->page->profile[s->side]->events[0].name);
		json_u64(j, "unit_ns", s->unit_ns);
		json_u64(j, "rows", s->nr);
		json_u64(j, "samples", s->samples);
		json_u64(j, "weight", in_units(s, s->weight_ns));
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_others(struct writer *w)
{
	struct json *j = &w->j;

	json_array(j, "others");
	for (enum dusk_source i = DUSK_CPU; i <= DUSK_OFF_CPU; i++) {
		if (!(w->page->others & 1U << i))
			continue;
		json_array(j, NULL);
		json_string(j, NULL, kinds[i].kind);
		json_string(j, NULL, kinds[i].title);
		json_array_end(j);
	}
	json_array_end(j);
}

static int put_all(struct writer *w)
{
	struct json *j = &w->j;
	int err = 0;

	json_object(j, NULL);
	json_u64(j, "format", FORMAT);
	put_name(j, "title", w->page->title);
	json_string(j, "note",
		    "A row is all samples of one kind, stack of functions and thread within one bucket of time.");
	json_array(j, "profiles");
	for (uint32_t i = 0; i < w->page->nr && !err; i++)
		err = put_profile(w, i);
	json_array_end(j);
	put_series_list(w);
	put_others(w);
	if (!err)
		err = put_threads(w);
	if (!err)
		err = put_names(w);
	for (size_t i = 0; i < w->series.nr; i++)
		put_series(w, i);
	columns_directory(w->columns, j, "columns");
	json_object_end(j);
	putc('\n', j->out);
	return err ? err : w->columns->err;
}

int flame_data_init(struct flame_data *ret, const struct flame_page *page)
{
	_cleanup_(writer_done) struct writer w = {.page = page, .columns = &ret->columns};
	int err = make_rows(&w);

	for (uint32_t i = 0; i < page->nr && !err; i++)
		err = split_rows(&w, i);
	if (err)
		return err;
	for (size_t i = 0; i < w.series.nr; i++)
		choose_unit(&w.series.v[i]);
	w.j.out = open_memstream(&ret->json, &ret->json_bytes);
	if (!w.j.out)
		return -ENOMEM;
	err = put_all(&w);
	return memstream_end(w.j.out, err);
}

void flame_data_done(struct flame_data *d)
{
	free(d->json);
	columns_done(&d->columns);
	*d = (struct flame_data){0};
}
