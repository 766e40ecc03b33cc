/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name frames in memory that is used again, by the time at which they were sampled. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "lib/symbols/symbolizer.h"

#define MAX_FUNCTIONS 1024  /* functions at one address that are distinguished */
#define MAX_ERAS (1U << 20) /* in all */

static void extend(struct seen *s, const struct seen *by)
{
	s->first_ns = by->first_ns < s->first_ns ? by->first_ns : s->first_ns;
	s->last_ns = by->last_ns > s->last_ns ? by->last_ns : s->last_ns;
}

static void note_sample(struct seen *of_node, uint64_t window_ns, const struct dusk_sample *s)
{
	struct seen at;

	eras_span(window_ns, s, &at.first_ns, &at.last_ns);
	extend(&of_node[s->node], &at);
}

static struct seen *never(uint32_t nr)
{
	struct seen *ret = malloc((nr + 1UL) * sizeof(*ret));

	for (uint32_t i = 0; ret && i < nr; i++)
		ret[i] = (struct seen){UINT64_MAX, 0};
	return ret;
}

static void note_samples(const struct dusk_profile *p, struct seen *of_node)
{
	uint64_t window_ns = eras_window_ns(p);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		note_sample(of_node, window_ns, s);
		if (s->waker)
			extend(&of_node[p->wakers[s->waker].node], &(struct seen){s->time_ns, s->time_ns});
	}
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		note_sample(of_node, window_ns, &p->occurrences[i].sample);
}

/* Find when each frame was sampled. Done once for all modules, as it reads all samples. */
static int find_times(struct symbolizer *s)
{
	const struct dusk_profile *p = s->p;
	const char *start = dusk_profile_setting(p, "start_monotonic_ns");
	_cleanup_(freep) struct seen *of_node = never(p->nr_nodes), *of_frame = never(p->nr_frames);

	if (!of_node || !of_frame)
		return -ENOMEM;
	note_samples(p, of_node);
	for (uint32_t i = p->nr_nodes; i-- > 1;) {
		const struct dusk_node *n = &p->nodes[i];

		extend(&of_node[n->parent], &of_node[i]);
		extend(&of_frame[n->frame], &of_node[i]);
	}
	s->seen = steal(of_frame);
	s->start_ns = start ? strtoull(start, NULL, 10) : 0;
	return 0;
}

/* What is the one function of the frame that was sampled at these times, if it has one? */
static const struct code_life *only_life(const struct symbolizer *s, const struct seen *seen)
{
	const struct code_lives *l = &s->lives;

	if (l->nr == 1 && l->v[0].is_first && l->v[0].to_ns == CODE_STAYS && (!s->start_ns || !l->v[0].from_ns))
		return l->v;
	if (!s->start_ns || seen->first_ns > seen->last_ns)
		return NULL;
	return code_lives_at(l, s->start_ns + seen->first_ns, s->start_ns + seen->last_ns);
}

/* The time of the recording at which it is @monotonic_ns. */
static uint64_t in_recording(const struct symbolizer *s, uint64_t monotonic_ns)
{
	if (monotonic_ns == CODE_STAYS)
		return CODE_STAYS;
	return monotonic_ns < s->start_ns ? 0 : monotonic_ns - s->start_ns;
}

static int add_eras(struct symbolizer *s, uint32_t i, const char *module)
{
	const struct dusk_frame *f = &s->p->frames[i];
	const struct seen *seen = &s->seen[i];

	for (size_t k = 0; k < s->lives.nr && s->recorded->eras.nr < MAX_ERAS; k++) {
		const struct code_life *l = &s->lives.v[k];
		uint64_t distance = f->offset - l->start;
		struct era e = {
			.frame = i,
			.function_offset = distance > UINT32_MAX ? UINT32_MAX : distance,
			.is_first = l->is_first,
			.from_ns = in_recording(s, l->from_ns),
			.to_ns = in_recording(s, l->to_ns),
		};

		if (e.from_ns > seen->last_ns || e.to_ns <= seen->first_ns)
			continue;
		if (symbolizer_function(s, l->name, module, &e.function) || vec_push(&s->recorded->eras, e))
			return -ENOMEM;
	}
	return 0;
}

int symbolizer_name_by_time(struct symbolizer *s, uint32_t i, struct code_loads *loads, const char *module)
{
	const struct code_life *life;
	int rc = 0;

	if (!loads->nr)
		return 0;
	if (!s->seen)
		rc = find_times(s);
	rc = rc ?: code_lives_find(&s->lives, loads);
	if (rc || s->lives.nr > MAX_FUNCTIONS)
		return rc;
	life = only_life(s, &s->seen[i]);
	if (life)
		return symbolizer_name(s, &s->p->frames[i], life->name, module, life->start);
	return s->recorded && s->start_ns ? add_eras(s, i, module) : 0;
}
