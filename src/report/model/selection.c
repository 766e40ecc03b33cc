/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Select the samples of a view. See selection.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/label_pattern.h"
#include "report/model/label.h"
#include "report/model/selection.h"
#include "report/model/synthetic.h"

static bool listed(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(name, list[i]))
			return true;
	return !nr;
}

/* A thread may be called by what would be a pattern: "[interrupt]". */
static bool listed_comm(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (pattern_is(list[i], name))
			return true;
	return listed(name, list, nr);
}

static bool listed_id(pid_t id, const pid_t *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (id == list[i])
			return true;
	return !nr;
}

static bool listed_label(const struct dusk_profile *p, const struct dusk_thread *t, enum thread_label which,
			 const struct selection *s)
{
	for (size_t i = 0; i < s->nr_label[which]; i++)
		if (thread_label_matches(p, t, which, s->label[which][i]))
			return true;
	return !s->nr_label[which];
}

static bool thread_selected(const struct dusk_profile *p, const struct dusk_thread *t, const struct selection *s)
{
	bool is = listed_id(t->pid, s->pid, s->nr_pid) && listed_id(t->tid, s->tid, s->nr_tid) &&
		  listed_comm(t->comm, s->comm, s->nr_comm);

	for (enum thread_label i = 0; i < NR_THREAD_LABELS && is; i++)
		is = listed_label(p, t, i, s);
	return is;
}

static uint32_t nr_states(void)
{
	uint32_t nr = 0;

	while (state_name(nr))
		nr++;
	return nr;
}

int selector_init(struct selector *ret, const struct dusk_profile *p, const struct selection *s)
{
	uint32_t states = nr_states();

	*ret = (struct selector){.profile = p, .selection = s};
	ret->thread = calloc(p->nr_threads + 1UL, sizeof(*ret->thread));
	ret->state = calloc(states, sizeof(*ret->state));
	if (!ret->thread || !ret->state)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_threads; i++)
		ret->thread[i] = thread_selected(p, &p->threads[i], s);
	for (uint32_t i = 0; i < states; i++)
		ret->state[i] = listed(state_name(i), s->state, s->nr_state);
	return s->ignore_idle ? idle_new(&ret->idle, p) : 0;
}

void selector_done(struct selector *s)
{
	free(steal(s->thread));
	free(steal(s->state));
	idle_free(steal(s->idle));
}

/* When did it begin? Samples, occurrences and sums are at a moment. */
static uint64_t begin_ns(const struct dusk_sample *s)
{
	if (s->source != DUSK_OFF_CPU || s->cpu == DUSK_NO_CPU)
		return s->time_ns;
	return s->time_ns > s->value_ns ? s->time_ns - s->value_ns : 0;
}

static bool in_time(const struct selection *s, const struct dusk_sample *sample)
{
	uint64_t begin = begin_ns(sample), end = sample->time_ns;

	return (end > s->from_ns || begin >= s->from_ns) && (!s->to_ns || begin < s->to_ns);
}

static bool long_enough(const struct selection *s, const struct dusk_sample *sample)
{
	struct amount a = amount_of(sample);

	return sample->source != DUSK_OFF_CPU || average_ns(&a) >= s->min_ns;
}

static bool selected_but_idle(const struct selector *s, const struct dusk_sample *sample)
{
	return s->thread[sample->thread] && s->state[state_of(sample)] && in_time(s->selection, sample) &&
	       long_enough(s->selection, sample);
}

bool selector_has(const struct selector *s, const struct dusk_sample *sample)
{
	return selected_but_idle(s, sample) && !(s->idle && idle_has(s->idle, sample));
}

bool selector_is_idle(const struct selector *s, const struct dusk_sample *sample)
{
	return s->idle && idle_has(s->idle, sample) && selected_but_idle(s, sample);
}

/* The part in which the thread was runnable is the last one. */
void selection_cut(const struct selection *s, struct dusk_sample *sample)
{
	uint64_t begin = begin_ns(sample), end = sample->time_ns, woken;

	if (begin == end || (!s->from_ns && !s->to_ns))
		return;
	woken = end > sample->runnable_ns ? end - sample->runnable_ns : 0;
	if (begin < s->from_ns)
		begin = s->from_ns;
	if (s->to_ns && end > s->to_ns)
		end = s->to_ns;
	if (woken < begin)
		woken = begin;
	sample->time_ns = end;
	sample->value_ns = end - begin;
	sample->runnable_ns = woken < end ? end - woken : 0;
}

/* A function of a kernel module has the module's name itself; otherwise the name is that of the frame's module. */
static bool frame_selected(const struct dusk_profile *p, uint32_t frame, const struct selection *s)
{
	const struct dusk_frame *f = &p->frames[frame];

	return (f->function && listed(p->functions[f->function].module, s->dso, s->nr_dso)) ||
	       listed(module_name(p, f->module), s->dso, s->nr_dso) ||
	       (f->module && listed(p->modules[f->module].path, s->dso, s->nr_dso));
}

int selection_places(bool **ret, const struct dusk_profile *p, const struct selection *s)
{
	_cleanup_(freep) bool *selected = NULL, *synthetic = NULL;

	*ret = NULL;
	if (!s->nr_dso)
		return 0;
	selected = calloc((size_t)nr_places(p) + 1, sizeof(*selected));
	synthetic = synthetic_nodes(p);
	if (!selected || !synthetic)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		selected[i] = synthetic[i] ? selected[p->nodes[i].parent] : frame_selected(p, p->nodes[i].frame, s);
	*ret = steal(selected);
	return 0;
}
