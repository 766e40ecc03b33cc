/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Add synthetic frames to the stacks of off-CPU intervals. See synthetic.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/model/synthetic.h"
#include "report/model/wakers.h"

/* Nodes added at the inner ends of stacks. They get the highest numbers, since callers come before callees. */
struct synthetics {
	struct filtered *f;
	struct vec(struct dusk_node) nodes;
	struct map node_of;
};

/* Move *@at to its child of @frame, which is added if it does not exist. */
static int synthetic(struct synthetics *g, uint32_t *at, uint32_t frame)
{
	bool fresh;
	uint32_t *node = map_at(&g->node_of, (uint64_t)*at << 32 | frame, &fresh);

	if (!node || (fresh && vec_push(&g->nodes, ((struct dusk_node){*at, frame}))))
		return -ENOMEM;
	if (fresh)
		*node = g->f->profile.nr_nodes + g->nodes.nr - 1;
	*at = *node;
	return 0;
}

/* Append the added nodes to the profile unless @err is set, and free @g. Returns @err, 0 or -ENOMEM. */
static int synthetic_done(struct synthetics *g, int err)
{
	struct filtered *f = g->f;
	struct dusk_profile *p = &f->profile;

	if (!err && g->nodes.nr) {
		err = filtered_own(f, nodes, p->nr_nodes, g->nodes.nr);
		if (!err)
			memcpy(f->nodes + p->nr_nodes, g->nodes.v, g->nodes.nr * sizeof(*g->nodes.v));
		p->nr_nodes += err ? 0 : g->nodes.nr;
	}
	vec_done(&g->nodes);
	map_done(&g->node_of);
	return err;
}

/* Make room for @nr frames and functions without a module; then call add_frame() for each. *@first: its frame. */
static int add_frames(struct filtered *f, uint32_t nr, uint32_t *first)
{
	*first = f->profile.nr_frames;
	return filtered_own(f, functions, f->profile.nr_functions, nr)
		       ?: filtered_own(f, frames, f->profile.nr_frames, nr);
}

static void add_frame(struct filtered *f, const char *name)
{
	struct dusk_profile *p = &f->profile;

	f->functions[p->nr_functions] = (struct dusk_function){name, name, ""};
	f->frames[p->nr_frames++] = (struct dusk_frame){.function = p->nr_functions++};
}

/* Add a frame for each state, and IDLE_MARK. */
static int add_marks(struct filtered *f, uint32_t *first_frame, uint32_t *idle_frame)
{
	uint32_t nr = 0;

	while (dusk_state_name(nr))
		nr++;
	f->marks = calloc(nr, sizeof(*f->marks));
	if (!f->marks || add_frames(f, nr + 1, first_frame))
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(f->marks[i], sizeof(*f->marks), "[%s]", dusk_state_name(i));
		add_frame(f, f->marks[i]);
	}
	*idle_frame = *first_frame + nr;
	add_frame(f, IDLE_MARK);
	return 0;
}

int synthetic_marks(struct filtered *f, const struct idle *idle)
{
	struct dusk_profile *p = &f->profile;
	struct synthetics g = {.f = f};
	uint32_t first_frame, idle_frame;
	int err = add_marks(f, &first_frame, &idle_frame);

	if (!err)
		err = filtered_own(f, samples, p->nr_samples, 0);
	for (uint64_t i = 0; i < p->nr_samples && !err; i++) {
		struct dusk_sample *s = &f->samples[i];

		if (s->source == DUSK_OFF_CPU && s->node)
			err = synthetic(&g, &s->node, idle && idle_has(idle, s) ? idle_frame : first_frame + s->state);
	}
	return synthetic_done(&g, err);
}

/* Added frames: these, and then for each thread its name and its process, by which wakers are called. */
enum { FRAME_SEPARATOR, FRAME_INTERRUPT, FRAME_THREADS };

/* "pid 21423, postgres: bench [local] idle in transaction". NULL: out of memory. */
static const char *process_name(struct filtered *f, const struct dusk_thread *t)
{
	_cleanup_(freep) char *name = NULL;

	if (asprintf(&name, *(t->title ?: "") ? "pid %d, %s" : "pid %d", t->pid, t->title) < 0) {
		name = NULL;
		return NULL;
	}
	return strings_intern(&f->processes, name);
}

static int add_wakers(struct filtered *f, uint32_t *first_frame)
{
	const struct dusk_profile *p = &f->profile;

	if (add_frames(f, FRAME_THREADS + 2 * p->nr_threads, first_frame))
		return -ENOMEM;
	add_frame(f, "--");
	add_frame(f, waker_name(p, &(struct dusk_waker){.kind = DUSK_WAKER_INTERRUPT}));
	for (uint32_t i = 0; i < p->nr_threads; i++)
		add_frame(f, p->threads[i].comm);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		const char *name = process_name(f, &p->threads[i]);

		if (!name)
			return -ENOMEM;
		add_frame(f, name);
	}
	return 0;
}

static int synthetic_waker(struct synthetics *g, uint32_t *at, const struct dusk_waker *by, uint32_t first_frame,
			   bool processes)
{
	const struct dusk_profile *p = &g->f->profile;
	uint32_t end = waker_end(p, by);
	int err = synthetic(g, at, first_frame + FRAME_SEPARATOR);

	for (uint32_t node = by->node; node != end && !err; node = p->nodes[node].parent)
		err = synthetic(g, at, p->nodes[node].frame);
	if (err || by->kind != DUSK_WAKER_TASK)
		return err ?: synthetic(g, at, first_frame + FRAME_INTERRUPT);
	err = synthetic(g, at, first_frame + FRAME_THREADS + by->thread);
	if (err || !processes)
		return err;
	return synthetic(g, at, first_frame + FRAME_THREADS + p->nr_threads + by->thread);
}

/* Off-CPU intervals without a stack get no wakers. */
int synthetic_wakers(struct filtered *f, const struct dusk_profile *whole, uint32_t max, bool processes)
{
	struct dusk_profile *p = &f->profile;
	_cleanup_(wakers_freep) struct wakers *wakers = NULL;
	struct synthetics g = {.f = f};
	uint32_t first_frame;
	int err = wakers_new(&wakers, whole);

	if (!err)
		err = filtered_own(f, samples, p->nr_samples, 0);
	if (!err)
		err = add_wakers(f, &first_frame);
	for (uint64_t i = 0; i < p->nr_samples && !err; i++) {
		const struct dusk_sample *woken = &f->samples[i];
		uint32_t at = woken->node;

		for (uint32_t nr = 0; nr < max && at && woken && woken->waker && !err; nr++) {
			err = synthetic_waker(&g, &at, &p->wakers[woken->waker], first_frame, processes);
			woken = wakers_before(wakers, woken);
		}
		f->samples[i].node = at;
	}
	return synthetic_done(&g, err);
}

bool *synthetic_nodes(const struct dusk_profile *p)
{
	bool *synthetic = calloc((size_t)p->nr_nodes + 1, sizeof(*synthetic));

	for (uint32_t i = 1; synthetic && i < p->nr_nodes; i++) {
		const struct dusk_frame *f = &p->frames[p->nodes[i].frame];
		bool begins = f->function && !f->module && !*p->functions[f->function].module;

		synthetic[i] = synthetic[p->nodes[i].parent] || begins;
	}
	return synthetic;
}
