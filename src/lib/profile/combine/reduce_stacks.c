/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fewer stacks: rare ones lose callers in their middle. See reduce.h.
 *
 * From the outer end of a stack, those frames stay in which enough time was spent, by all stacks that begin alike. The
 * innermost frame stays, too, so what each function itself took does not change. Between the two there is one frame,
 * "[...]", of the module in which what is left out begins. A stack that is short already can become shorter.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/keys.h"
#include "base/vec.h"
#include "lib/profile/read/read.h"
#include "lib/profile/combine/reduce.h"

struct shortening {
	struct dusk_profile *p;
	struct vec(uint32_t *) places; /* whatever names a node */
	uint64_t *ns;		       /* by node: how long it and what it calls took */
	uint32_t *
		begins; /* by node: the first that is left out between it and its frequent callers; 0: it is frequent */
	bool *wanted;	/* by node: it is in the result */
	uint32_t *number;  /* by node: the one in the result */
	uint32_t *mark;	   /* by module: its frame "[...]", or 0 */
	uint32_t function; /* "[...]", or 0 */
	struct vec(struct dusk_frame) marks;
	struct keys nodes; /* of the result, without "none" */
};

static bool is_mark(const struct dusk_profile *p, uint32_t frame)
{
	uint32_t function = p->frames[frame].function;

	return function && !strcmp(p->functions[function].name, LEFT_OUT);
}

static int find_places(struct shortening *c)
{
	struct dusk_profile *p = c->p;
	int err = vec_reserve(&c->places, p->nr_samples + p->nr_occurrences + p->nr_wakers);

	for (uint64_t i = 0; i < p->nr_samples && !err; i++)
		err = vec_push(&c->places, &p->samples[i].node);
	for (uint64_t i = 0; i < p->nr_occurrences && !err; i++)
		err = vec_push(&c->places, &p->occurrences[i].sample.node);
	for (uint32_t i = 0; i < p->nr_wakers && !err; i++)
		err = vec_push(&c->places, &p->wakers[i].node);
	return err;
}

static void weigh(struct shortening *c)
{
	const struct dusk_profile *p = c->p;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		c->ns[p->samples[i].node] += p->samples[i].value_ns;
	for (uint32_t i = p->nr_nodes; i-- > 1;) /* callers have smaller numbers */
		c->ns[p->nodes[i].parent] += c->ns[i];
}

/* Which nodes stay, at which rare_ns? */
static void choose(struct shortening *c, uint64_t rare_ns)
{
	const struct dusk_profile *p = c->p;

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		c->begins[i] = c->ns[i] >= rare_ns ? 0 : c->begins[p->nodes[i].parent] ?: i;
	for (size_t i = 0; i < c->places.nr; i++)
		c->wanted[*c->places.v[i]] = true;
	for (uint32_t i = p->nr_nodes; i-- > 1;)
		if (c->wanted[i])
			c->wanted[p->nodes[c->begins[i] ?: i].parent] = true;
}

static int make_function(struct shortening *c)
{
	struct dusk_profile *p = c->p;
	const char *name = strings_intern(profile_strings(p), LEFT_OUT);
	struct dusk_function *functions = reallocarray(p->functions, p->nr_functions + 1UL, sizeof(*functions));

	if (functions)
		p->functions = functions;
	if (!functions || !name)
		return -ENOMEM;
	c->function = p->nr_functions;
	functions[p->nr_functions++] = (struct dusk_function){name, name, name};
	return 0;
}

/* Set @ret to the frame "[...]" of @module. */
static int mark_of(struct shortening *c, uint32_t module, uint32_t *ret)
{
	const struct dusk_profile *p = c->p;

	if (!c->mark[module]) {
		if (!c->function && make_function(c))
			return -ENOMEM;
		if (vec_push(&c->marks, ((struct dusk_frame){.module = module, .function = c->function})))
			return -ENOMEM;
		c->mark[module] = p->nr_frames + c->marks.nr - 1;
	}
	*ret = c->mark[module];
	return 0;
}

/* Those of a profile that was reduced before. */
static void find_marks(struct shortening *c)
{
	const struct dusk_profile *p = c->p;

	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (is_mark(p, i)) {
			c->mark[p->frames[i].module] = i;
			c->function = p->frames[i].function;
		}
}

/* Set @ret to the node of the result that is @frame, called by @parent. */
static int node(struct shortening *c, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	const struct dusk_node key = {parent, frame};
	int err = keys_number(&c->nodes, &key, sizeof(key), ret, NULL);

	*ret += 1;
	return err;
}

static int place(struct shortening *c, uint32_t i)
{
	const struct dusk_node *is = &c->p->nodes[i];
	uint32_t begins = c->begins[i], parent = c->number[c->p->nodes[begins ?: i].parent], mark;

	if (begins && begins != i &&
	    (mark_of(c, c->p->frames[c->p->nodes[begins].frame].module, &mark) || node(c, parent, mark, &parent)))
		return -ENOMEM;
	return node(c, parent, is->frame, &c->number[i]);
}

static int take_over(struct shortening *c)
{
	struct dusk_profile *p = c->p;
	struct dusk_frame *frames = reallocarray(p->frames, p->nr_frames + c->marks.nr, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	if (c->marks.nr)
		memcpy(frames + p->nr_frames, c->marks.v, c->marks.nr * sizeof(*frames));
	p->frames = frames;
	p->nr_frames += c->marks.nr;
	for (uint32_t i = 0; i < c->nodes.nr; i++) /* there are no more than before */
		memcpy(&p->nodes[i + 1], keys_at(&c->nodes, i), sizeof(*p->nodes));
	p->nr_nodes = c->nodes.nr + 1;
	for (size_t i = 0; i < c->places.nr; i++)
		*c->places.v[i] = c->number[*c->places.v[i]];
	return 0;
}

static int shorten(struct shortening *c, uint64_t rare_ns)
{
	int err = find_places(c);

	if (err)
		return err;
	weigh(c);
	find_marks(c);
	choose(c, rare_ns);
	for (uint32_t i = 1; i < c->p->nr_nodes && !err; i++)
		if (c->wanted[i])
			err = place(c, i);
	return err ?: take_over(c);
}

int reduce_stacks(struct dusk_profile *p, uint64_t rare_ns)
{
	size_t nr = p->nr_nodes + 1UL;
	struct shortening c = {.p = p,
			       .ns = calloc(nr, sizeof(*c.ns)),
			       .begins = calloc(nr, sizeof(*c.begins)),
			       .wanted = calloc(nr, sizeof(*c.wanted)),
			       .number = calloc(nr, sizeof(*c.number)),
			       .mark = calloc(p->nr_modules + 1UL, sizeof(*c.mark))};
	int err = c.ns && c.begins && c.wanted && c.number && c.mark ? shorten(&c, rare_ns) : -ENOMEM;

	free(c.ns);
	free(c.begins);
	free(c.wanted);
	free(c.number);
	free(c.mark);
	vec_done(&c.places);
	vec_done(&c.marks);
	keys_done(&c.nodes);
	return err;
}

uint64_t reduce_count_shortened(const struct dusk_profile *p)
{
	uint64_t nr = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		uint32_t caller = p->nodes[p->samples[i].node].parent;

		/* What is left out is right behind the innermost frame. */
		if (p->samples[i].node && is_mark(p, p->nodes[caller].frame))
			nr += p->samples[i].count;
	}
	return nr;
}
