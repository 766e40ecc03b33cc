/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fewer threads, and fewer sums of them. See reduce.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/keys.h"
#include "base/vec.h"
#include "lib/profile/read/read.h"
#include "lib/profile/combine/reduce.h"

enum { UNSEEN, MANY = UINT32_MAX }; /* or the number of the only window, from 1 */

static void note(uint32_t *window, const struct dusk_sample *s, uint64_t window_ns)
{
	uint32_t is = s->time_ns / window_ns + 1;

	window[s->thread] = window[s->thread] == UNSEEN || window[s->thread] == is ? is : MANY;
}

/* The window in which each thread was, to be freed; NULL when memory is short. */
static uint32_t *windows_of(const struct dusk_profile *p, uint64_t window_ns)
{
	uint32_t *window = calloc(p->nr_threads + 1UL, sizeof(*window));

	if (!window)
		return NULL;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		note(window, &p->samples[i], window_ns);
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		note(window, &p->occurrences[i].sample, window_ns);
	return window;
}

struct fewer {
	struct dusk_profile *p;
	struct keys alike;
	struct vec(uint32_t) of_alike; /* by number of the key: the thread */
	struct vec(struct dusk_thread) threads;
	uint32_t *number; /* by old number */
};

/* Set @ret to the thread that stands for those like @t, if there is one. */
static int find_alike(struct fewer *f, const struct dusk_thread *t, uint32_t **ret, bool *fresh)
{
	struct strings *text = profile_strings(f->p);
	const struct {
		const char *comm, *service, *version;
		uint64_t cgroup;
	} key = {strings_intern(text, t->comm), strings_intern(text, t->service), strings_intern(text, t->version),
		 t->cgroup};
	uint32_t number;

	if (!key.comm || !key.service || !key.version || keys_number(&f->alike, &key, sizeof(key), &number, fresh) ||
	    (*fresh && !vec_add(&f->of_alike)))
		return -ENOMEM;
	*ret = &f->of_alike.v[number];
	return 0;
}

static int add_thread(struct fewer *f, uint32_t i, bool passing)
{
	const struct dusk_thread *t = &f->p->threads[i];
	uint32_t *alike;
	struct dusk_thread *is;
	bool fresh;

	f->number[i] = f->threads.nr;
	if (passing) {
		if (find_alike(f, t, &alike, &fresh))
			return -ENOMEM;
		if (!fresh) {
			is = &f->threads.v[*alike];
			is->pid = is->pid == t->pid ? is->pid : 0;
			is->tid = is->tid == t->tid ? is->tid : 0;
			is->title = strcmp(is->title, t->title) ? "" : is->title;
			f->number[i] = *alike;
			return 0;
		}
		*alike = f->threads.nr;
	}
	return vec_push(&f->threads, *t);
}

static void renumber(struct fewer *f)
{
	struct dusk_profile *p = f->p;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		p->samples[i].thread = f->number[p->samples[i].thread];
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		p->occurrences[i].sample.thread = f->number[p->occurrences[i].sample.thread];
	for (uint32_t i = 0; i < p->nr_wakers; i++)
		if (p->wakers[i].kind == DUSK_WAKER_TASK)
			p->wakers[i].thread = f->number[p->wakers[i].thread];
	p->nr_thread_times = 0;
	free(p->threads);
	p->nr_threads = f->threads.nr;
	p->threads = vec_steal(&f->threads);
}

int reduce_threads(struct dusk_profile *p, uint64_t window_ns, uint64_t *nr)
{
	_cleanup_(freep) uint32_t *window = windows_of(p, window_ns),
				  *number = calloc(p->nr_threads + 1UL, sizeof(*number));
	struct fewer f = {.p = p, .number = number};
	int err = window && number ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < p->nr_threads && !err; i++)
		err = add_thread(&f, i, window[i] != MANY);
	if (!err) {
		*nr += p->nr_threads - f.threads.nr;
		renumber(&f);
	}
	keys_done(&f.alike);
	vec_done(&f.of_alike);
	vec_done(&f.threads);
	return err;
}

static bool is_sum(const struct dusk_sample *s)
{
	return s->cpu == DUSK_NO_CPU && !s->waker;
}

void reduce_intervals(struct dusk_profile *p, uint64_t *nr)
{
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		struct dusk_sample *s = &p->samples[i];

		*nr += s->source == DUSK_OFF_CPU && !is_sum(s);
		s->cpu = DUSK_NO_CPU;
		s->waker = 0;
	}
}

static int by_key(const void *a, const void *b, void *window_ns)
{
	const struct dusk_sample *x = a, *y = b;
	uint64_t ns = *(const uint64_t *)window_ns, wx = x->time_ns / ns, wy = y->time_ns / ns;

#define BY(m)                                        \
	do {                                         \
		if (x->m != y->m)                    \
			return x->m < y->m ? -1 : 1; \
	} while (0)
	if (wx != wy)
		return wx < wy ? -1 : 1;
	if (is_sum(x) != is_sum(y))
		return is_sum(x) ? -1 : 1; /* a sum has the time of its window's beginning */
	if (!is_sum(x))
		BY(time_ns);
	BY(source);
	BY(state);
	BY(thread);
	BY(node);
	BY(outcome);
#undef BY
	return 0;
}

/* Add @s to @to, unless a row cannot hold that many. */
static bool add_up(struct dusk_sample *to, const struct dusk_sample *s)
{
	if (s->count > UINT32_MAX - to->count)
		return false;
	to->count += s->count;
	to->value_ns += s->value_ns;
	to->runnable_ns += s->runnable_ns;
	return true;
}

void reduce_sums(struct dusk_profile *p, uint64_t window_ns)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (is_sum(&p->samples[i]))
			p->samples[i].time_ns -= p->samples[i].time_ns % window_ns;
	if (p->nr_samples)
		qsort_r(p->samples, p->nr_samples, sizeof(*p->samples), by_key, &window_ns);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		struct dusk_sample *last = kept ? &p->samples[kept - 1] : NULL;

		if (!last || !is_sum(s) || by_key(last, s, &window_ns) || !add_up(last, s))
			p->samples[kept++] = *s;
	}
	p->nr_samples = kept;
}
