/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Properties and order of samples. See samples.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "export/samples.h"
#include "report/model/label.h"

const struct source sources[] = {
	[DUSK_CPU] = {"cpu", "samples"},
	[DUSK_OFF_CPU] = {"off-cpu", "intervals"},
};
const uint32_t nr_sources = sizeof(sources) / sizeof(sources[0]);

bool samples_have(const struct dusk_profile *p, uint32_t source)
{
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (sample_source(&p->samples[i]) == source)
			return true;
	return !source && !p->nr_samples;
}

uint64_t samples_start_ns(const struct dusk_profile *p)
{
	const char *text = dusk_profile_setting(p, "start_time");
	struct tm tm = {0};
	time_t s = text && strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) ? timegm(&tm) : 0;

	return s > 0 ? s * 1000000000ULL : 0;
}

uint64_t samples_duration_ns(const struct dusk_profile *p)
{
	const char *text = dusk_profile_setting(p, "duration_ns");

	if (text)
		return strtoull(text, NULL, 10);
	return p->nr_samples ? p->samples[p->nr_samples - 1].time_ns + p->period_ns : 0;
}

struct sorter {
	const struct dusk_profile *profile;
	bool by_stack;
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_samples(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	const struct dusk_profile *p = sorter->profile;
	uint64_t i = *(const uint64_t *)a, k = *(const uint64_t *)b;
	const struct dusk_sample *s = &p->samples[i], *t = &p->samples[k];
	int order = compare(p->threads[s->thread].pid, p->threads[t->thread].pid);

	if (!order)
		order = compare(s->thread, t->thread);
	if (!order)
		order = compare(sample_source(s), sample_source(t));
	if (!order && sorter->by_stack)
		order = compare(place_of(p, s), place_of(p, t));
	if (!order && sorter->by_stack)
		order = compare(s->state, t->state);
	return order ? order : compare(i, k);
}

int samples_sort(uint64_t **ret, const struct dusk_profile *p, bool by_stack)
{
	uint64_t *order = calloc(p->nr_samples + 1, sizeof(*order));
	struct sorter sorter = {p, by_stack};

	if (!order)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		order[i] = i;
	qsort_r(order, p->nr_samples, sizeof(*order), compare_samples, &sorter);
	*ret = order;
	return 0;
}

static bool same_thread(const struct dusk_sample *s, const struct dusk_sample *t)
{
	return s->thread == t->thread && sample_source(s) == sample_source(t);
}

uint64_t samples_of_process(const struct dusk_profile *p, const uint64_t *order, uint64_t nr)
{
	pid_t pid = p->threads[p->samples[order[0]].thread].pid;
	uint64_t i = 1;

	while (i < nr && p->threads[p->samples[order[i]].thread].pid == pid)
		i++;
	return i;
}

uint64_t samples_of_thread(const struct dusk_profile *p, const uint64_t *order, uint64_t nr)
{
	uint64_t i = 1;

	while (i < nr && same_thread(&p->samples[order[0]], &p->samples[order[i]]))
		i++;
	return i;
}

uint64_t samples_of_stack(const struct dusk_profile *p, const uint64_t *order, uint64_t nr)
{
	const struct dusk_sample *first = &p->samples[order[0]];
	uint64_t i = 1;

	while (i < nr && same_thread(first, &p->samples[order[i]]) && first->state == p->samples[order[i]].state &&
	       place_of(p, first) == place_of(p, &p->samples[order[i]]))
		i++;
	return i;
}

int path_to(struct path *ret, const struct dusk_profile *p, uint32_t node)
{
	ret->nr = 0;
	for (; node; node = p->nodes[node].parent)
		if (vec_push(ret, node))
			return -ENOMEM;
	return 0;
}
