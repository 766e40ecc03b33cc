/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/profile/write/eras.h"
#include <errno.h>
#include "base/cleanup.h"
#include "base/keys.h"
#include "base/map.h"
#include "base/rank.h"
#include "lib/error.h"
#include "lib/profile/write/writer.h"

/* How much earlier, and of windows later, samples of a sum may be: it is written each second, and stacks come after samples. */
#define SUM_NS 2000000000ULL
#define SQL_SUM_US "2000000"

struct split {
	const struct dusk_profile *p; /* as it was */
	uint64_t window_ns;
	struct eras eras;   /* by frame */
	uint32_t *first;    /* by frame: index of its first era */
	uint32_t *frame_of; /* by era; 0: none so far */
	bool *touched;	    /* by node: it, or one of its callers, is of a frame with eras */
	struct vec(struct dusk_frame) frames;
	struct vec(struct dusk_module) modules;
	struct keys nodes;    /* struct dusk_node, behind those of @p */
	struct map module_of; /* module << 32 | generation -> module */
	bool failed;
};

uint64_t eras_window_ns(const struct dusk_profile *p)
{
	const char *text = dusk_profile_setting(p, "window_ns");

	return text ? strtoull(text, NULL, 10) : 0;
}

void eras_span(uint64_t window_ns, const struct dusk_sample *s, uint64_t *from_ns, uint64_t *to_ns)
{
	bool of_window = window_ns && (s->cpu == DUSK_NO_CPU || s->source == DUSK_CPU);

	*from_ns = *to_ns = s->time_ns;
	if (of_window || s->cpu == DUSK_NO_CPU)
		*from_ns -= s->time_ns < SUM_NS ? s->time_ns : SUM_NS;
	if (of_window)
		*to_ns += window_ns + SUM_NS;
}

static int by_frame(const void *a, const void *b)
{
	const struct era *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static void split_done(struct split *s)
{
	vec_done(&s->eras);
	vec_done(&s->frames);
	vec_done(&s->modules);
	keys_done(&s->nodes);
	map_done(&s->module_of);
	free(s->first);
	free(s->frame_of);
	free(s->touched);
}

static int begin(struct split *s, const struct dusk_profile *p, const struct eras *eras)
{
	s->p = p;
	s->window_ns = eras_window_ns(p);
	s->first = calloc(p->nr_frames + 1UL, sizeof(*s->first));
	s->frame_of = calloc(eras->nr + 1, sizeof(*s->frame_of));
	s->touched = calloc(p->nr_nodes + 1UL, sizeof(*s->touched));
	if (!s->first || !s->frame_of || !s->touched || vec_append(&s->eras, eras->v, eras->nr))
		return -ENOMEM;
	if (s->eras.nr)
		qsort(s->eras.v, s->eras.nr, sizeof(*s->eras.v), by_frame);
	for (uint32_t f = 0, i = 0; f <= p->nr_frames; f++) {
		while (i < s->eras.nr && s->eras.v[i].frame < f)
			i++;
		s->first[f] = i;
	}
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		const struct dusk_node *n = &p->nodes[i];

		s->touched[i] = s->touched[n->parent] || s->first[n->frame] < s->first[n->frame + 1];
	}
	return 0;
}

/* The module like @module, but for its generation. Returns 0 when memory is short. */
static uint32_t module_of(struct split *s, uint32_t module, uint32_t generation)
{
	struct dusk_module m = s->p->modules[module];
	bool fresh;
	uint32_t *at = map_at(&s->module_of, (uint64_t)module << 32 | generation, &fresh);

	m.generation += generation;
	if (!at || (!*at && vec_push(&s->modules, m)))
		return 0;
	if (!*at)
		*at = s->p->nr_modules + s->modules.nr - 1;
	return *at;
}

/* Make the frame of era @i. Returns 0 when memory is short. */
static uint32_t make_frame(struct split *s, uint32_t i)
{
	const struct era *e = &s->eras.v[i];
	struct dusk_frame f = s->p->frames[e->frame];
	uint32_t generation = 1;

	for (uint32_t k = s->first[e->frame]; k < s->first[e->frame + 1]; k++) {
		const struct era *other = &s->eras.v[k];

		if (s->frame_of[k] && other->function == e->function && other->function_offset == e->function_offset)
			return s->frame_of[k];
		generation += s->frame_of[k] != 0;
	}
	f.module = module_of(s, f.module, generation);
	f.function = e->function;
	f.function_offset = e->function_offset;
	if (!f.module || vec_push(&s->frames, f))
		return 0;
	return s->p->nr_frames + s->frames.nr - 1;
}

/* The frame that @frame is in this time. */
static uint32_t frame_at(struct split *s, uint32_t frame, uint64_t from_ns, uint64_t to_ns)
{
	const struct era *first = s->eras.v + s->first[frame], *e;
	size_t begun = rank_of(first, s->first[frame + 1] - s->first[frame], sizeof(*first), to_ns);
	uint32_t *made;

	if (!begun)
		return frame;
	e = &first[begun - 1];
	if (to_ns >= e->to_ns || (from_ns < e->from_ns && !e->is_first))
		return frame;
	made = &s->frame_of[e - s->eras.v];
	*made = *made ?: make_frame(s, e - s->eras.v);
	s->failed |= !*made;
	return *made;
}

/* The node that @node is in this time. Stacks are as deep as MAX_DEPTH and the kernel's. */
static uint32_t node_at(struct split *s, uint32_t node, uint64_t from_ns, uint64_t to_ns)
{
	const struct dusk_node *n = &s->p->nodes[node];
	struct dusk_node to;
	uint32_t number;

	if (node >= s->p->nr_nodes || !s->touched[node])
		return node;
	to.parent = node_at(s, n->parent, from_ns, to_ns);
	to.frame = frame_at(s, n->frame, from_ns, to_ns);
	if (to.parent == n->parent && to.frame == n->frame)
		return node;
	if (keys_number(&s->nodes, &to, sizeof(to), &number, NULL)) {
		s->failed = true;
		return node;
	}
	return s->p->nr_nodes + number;
}

static uint32_t node_of(struct split *s, const struct dusk_sample *sample)
{
	uint64_t from_ns, to_ns;

	eras_span(s->window_ns, sample, &from_ns, &to_ns);
	return node_at(s, sample->node, from_ns, to_ns);
}

static void split_samples(struct split *s, struct dusk_profile *p)
{
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		struct dusk_sample *sample = &p->samples[i];

		sample->node = node_of(s, sample);
		if (sample->waker)
			p->wakers[sample->waker].node =
				node_at(s, p->wakers[sample->waker].node, sample->time_ns, sample->time_ns);
	}
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		p->occurrences[i].sample.node = node_of(s, &p->occurrences[i].sample);
}

/* SQL: era_node(node, from, to), with times in microseconds. */
static void era_node(sqlite3_context *context, int nr, sqlite3_value **value)
{
	struct split *s = sqlite3_user_data(context);
	int64_t from_us = sqlite3_value_int64(value[1]), to_us = sqlite3_value_int64(value[2]);

	(void)nr;
	sqlite3_result_int64(context, node_at(s, sqlite3_value_int64(value[0]), from_us > 0 ? from_us * 1000 : 0,
					      to_us > 0 ? to_us * 1000 : 0));
}

static int split_block(struct split *s, sqlite3_stmt *window, sqlite3_stmt *update)
{
	const struct dusk_sample sum = {.time_ns = sqlite3_column_int64(window, 1) * 1000, .cpu = DUSK_NO_CPU};
	_cleanup_(pack_done) struct pack c = {.nr = 0};
	_cleanup_(freep) struct block_row *rows = NULL;
	_cleanup_(freep) uint8_t *block = NULL;
	uint64_t from_ns, to_ns;
	bool differs = false;
	size_t nr, len;

	eras_span(s->window_ns, &sum, &from_ns, &to_ns);
	if (block_decode(sqlite3_column_blob(window, 2), sqlite3_column_bytes(window, 2), &c))
		return SQLITE_CORRUPT;
	nr = c.rows;
	rows = calloc(nr + 1, sizeof(*rows));
	for (size_t i = 0; rows && i < nr; i++) {
		uint64_t *node = &rows[i].column[BLOCK_NODE], before;

		block_row(&rows[i], &c, i);
		before = *node;
		*node = node_at(s, before, from_ns, to_ns);
		differs |= *node != before;
	}
	if (rows && !differs)
		return SQLITE_OK;
	if (!rows || block_encode(rows, block_sum(rows, nr), &block, &len))
		return SQLITE_NOMEM;
	sqlite3_bind_int64(update, 1, sqlite3_column_int64(window, 0));
	sqlite3_bind_blob64(update, 2, block, len, SQLITE_STATIC);
	return db_run(update);
}

static int split_windows(struct split *s, sqlite3 *db)
{
	_cleanup_(db_finalizep) sqlite3_stmt *window = NULL, *update = NULL;
	int rc = db_prepare(&window, db, "select id,start,rows from window order by id");

	rc = rc ?: db_prepare(&update, db, "update window set rows=?2 where id=?1");
	while (!rc && (rc = sqlite3_step(window)) == SQLITE_ROW)
		rc = split_block(s, window, update);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int split_rows(struct split *s, sqlite3 *db)
{
	int rc = sqlite3_create_function(db, "era_node", 3, SQLITE_UTF8, s, era_node, NULL, NULL);

	rc = rc
		     ?: db_exec(db,
				"update sample set node=era_node(node,time,time) where era_node(node,time,time)<>node;"
				"update waker set node=era_node(node,t,t)from(select id,time t from offcpu)"
				" where id=waker.offcpu;"
				"update offcpu set node=era_node(node,iif(cpu is null,time-" SQL_SUM_US
				",time),time);");
	if (!rc && db_has_column(db, "occurrence", "node"))
		rc = db_exec(db, "update occurrence set node=era_node(node,time,time)");
	if (!rc && db_has_column(db, "window", "rows"))
		rc = split_windows(s, db);
	sqlite3_create_function(db, "era_node", 3, SQLITE_UTF8, NULL, NULL, NULL, NULL);
	return s->failed ? SQLITE_NOMEM : rc;
}

/* Write what is new. The writer numbers it as we do. */
static void write_new(const struct split *s, struct profile_writer *w)
{
	for (size_t i = 0; i < s->modules.nr; i++)
		profile_module(w, &s->modules.v[i]);
	for (size_t i = 0; i < s->frames.nr; i++) {
		const struct dusk_frame *f = &s->frames.v[i];

		profile_frame(w, f->module, f->offset, f->is_return, f->method);
	}
	for (uint32_t i = 0; i < s->nodes.nr; i++) {
		const struct dusk_node *n = keys_at(&s->nodes, i);

		profile_node(w, n->parent, n->frame);
	}
}

/* Append @nr elements at @more to the @nr_old at *@v. Returns 0 or -ENOMEM. */
static int append(void **v, size_t nr_old, const void *more, size_t nr, size_t size)
{
	void *both = realloc(*v, (nr_old + nr + 1) * size);

	if (!both)
		return -ENOMEM;
	*v = both;
	if (nr)
		memcpy((char *)both + nr_old * size, more, nr * size);
	return 0;
}

static int take_over(const struct split *s, struct dusk_profile *p)
{
	if (append((void **)&p->modules, p->nr_modules, s->modules.v, s->modules.nr, sizeof(*p->modules)) ||
	    append((void **)&p->frames, p->nr_frames, s->frames.v, s->frames.nr, sizeof(*p->frames)) ||
	    append((void **)&p->nodes, p->nr_nodes, s->nodes.key, s->nodes.nr, sizeof(*p->nodes)))
		return -ENOMEM;
	p->nr_modules += s->modules.nr;
	p->nr_frames += s->frames.nr;
	p->nr_nodes += s->nodes.nr;
	return 0;
}

int eras_split(const struct eras *eras, struct dusk_profile *p, struct profile_writer *w, struct dusk_error *err)
{
	_cleanup_(split_done) struct split s = {.p = p};
	int rc = begin(&s, p, eras);

	if (rc || !eras->nr)
		return error_complete(err, rc, "cannot tell functions of the same memory apart");
	if (!writer_begin(w, NODE))
		return profile_commit(w, err);
	rc = split_rows(&s, w->db);
	split_samples(&s, p);
	writer_fail_db(w, s.failed ? SQLITE_NOMEM : rc);
	write_new(&s, w);
	rc = profile_commit(w, err);
	return rc ?: error_complete(err, take_over(&s, p), "cannot tell functions of the same memory apart");
}
