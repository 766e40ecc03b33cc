/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Follow chains of wakers. See wakers.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/model/wakers.h"

#define CLOCK_NS 1000 /* times of off-CPU intervals are kept in microseconds */

struct wakers {
	const struct dusk_profile *profile;
	uint64_t *interval, nr; /* indices of samples, by thread id and time */
};

/* Is this an off-CPU interval that was ended by a wake-up and has its own time? */
static bool is_link(const struct dusk_sample *s)
{
	return s->source == DUSK_OFF_CPU && s->cpu != DUSK_NO_CPU && s->runnable_ns < s->value_ns;
}

static int by_thread(const void *first, const void *second, void *ctx)
{
	const struct dusk_profile *p = ctx;
	uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
	pid_t x = p->threads[p->samples[a].thread].tid, y = p->threads[p->samples[b].thread].tid;

	if (x != y)
		return x < y ? -1 : 1;
	return a < b ? -1 : a > b; /* samples are in the order of time */
}

int wakers_new(struct wakers **ret, const struct dusk_profile *p)
{
	_cleanup_(wakers_freep) struct wakers *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->profile = p;
	w->interval = calloc(p->nr_samples + 1, sizeof(*w->interval));
	if (!w->interval)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (is_link(&p->samples[i]))
			w->interval[w->nr++] = i;
	qsort_r(w->interval, w->nr, sizeof(*w->interval), by_thread, (void *)p);
	*ret = steal(w);
	return 0;
}

void wakers_free(struct wakers *w)
{
	if (!w)
		return;
	free(w->interval);
	free(w);
}

/* The last off-CPU interval of thread @tid that had ended by @time_ns. */
static const struct dusk_sample *last_before(const struct wakers *w, pid_t tid, uint64_t time_ns)
{
	const struct dusk_profile *p = w->profile;
	uint64_t begin = 0, end = w->nr;
	const struct dusk_sample *s;

	while (begin < end) {
		uint64_t middle = begin + (end - begin) / 2;
		pid_t at;

		s = &p->samples[w->interval[middle]];
		at = p->threads[s->thread].tid;
		if (at < tid || (at == tid && s->time_ns <= time_ns))
			begin = middle + 1;
		else
			end = middle;
	}
	s = begin ? &p->samples[w->interval[begin - 1]] : NULL;
	return s && p->threads[s->thread].tid == tid ? s : NULL;
}

const struct dusk_sample *wakers_before(const struct wakers *w, const struct dusk_sample *s)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_waker *by = &p->wakers[s->waker];
	const struct dusk_sample *before;
	uint64_t woken_ns = s->time_ns > s->runnable_ns ? s->time_ns - s->runnable_ns : 0;

	if (!s->waker || by->kind != DUSK_WAKER_TASK)
		return NULL;
	before = last_before(w, p->threads[by->thread].tid, woken_ns + CLOCK_NS);
	return before && before->waker ? before : NULL;
}

/* The interrupted code is the caller of the kernel's entry function, asm_*. */
uint32_t waker_end(const struct dusk_profile *p, const struct dusk_waker *by)
{
	uint32_t at = by->node;

	if (by->kind != DUSK_WAKER_INTERRUPT)
		return 0;
	while (at && strncmp(p->functions[p->frames[p->nodes[at].frame].function].name, "asm_", 4))
		at = p->nodes[at].parent;
	return at ? p->nodes[at].parent : 0;
}

const char *waker_name(const struct dusk_profile *p, const struct dusk_waker *by)
{
	return by->kind == DUSK_WAKER_TASK ? p->threads[by->thread].comm : "[interrupt]";
}
