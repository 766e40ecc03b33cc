/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Count the samples at each address of a function. See annotate.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "report/model/annotate.h"
#include "report/model/label.h"

static bool is_meant(const struct dusk_function *f, const char *name)
{
	size_t len = strlen(name);

	return !strcmp(f->name, name) || !strcmp(f->symbol, name) ||
	       (!strncmp(f->name, name, len) && f->name[len] == '(');
}

static bool has_path(const struct dusk_profile *p, uint32_t function, const char *path)
{
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (p->frames[i].function == function && !strcmp(p->modules[p->frames[i].module].path, path))
			return true;
	return false;
}

/* If a function has exactly @name as its name, looser matches are dropped. */
size_t annotation_find(const struct dusk_profile *p, const char *name, const char *dso, uint32_t *ret, size_t max)
{
	size_t nr = 0;
	bool exact = false;

	for (uint32_t i = 1; i < p->nr_functions; i++) {
		const struct dusk_function *f = &p->functions[i];
		bool same = !strcmp(f->name, name);

		if (!is_meant(f, name) || (exact && !same))
			continue;
		if (dso && strcmp(f->module, dso) && !has_path(p, i, dso))
			continue;
		if (same && !exact) {
			nr = 0;
			exact = true;
		}
		if (nr < max)
			ret[nr] = i;
		nr++;
	}
	return nr;
}

/* Choose the module with most samples of the function. */
static int choose_module(struct annotation *a, const struct dusk_profile *p, const uint64_t *of_frame)
{
	_cleanup_(freep) uint64_t *of_module = calloc((size_t)p->nr_modules + 1, sizeof(*of_module));
	uint64_t all = 0;

	if (!of_module)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		uint32_t module = p->frames[i].module;

		all += of_frame[i];
		of_module[module] += of_frame[i];
		if (of_module[module] > of_module[a->module])
			a->module = module;
	}
	a->samples = of_module[a->module];
	a->elsewhere = all - a->samples;
	return 0;
}

static int compare(const void *first, const void *second)
{
	const struct annotated_place *a = first, *b = second;

	return (a->address > b->address) - (a->address < b->address);
}

static int list_places(struct annotation *a, const struct dusk_profile *p, const uint64_t *of_frame)
{
	struct vec(struct annotated_place) places = {0};

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		struct annotated_place place = {f->address - f->is_return, of_frame[i]};

		if (f->module != a->module || !of_frame[i])
			continue;
		a->frame = i;
		if (vec_push(&places, place)) {
			vec_done(&places);
			return -ENOMEM;
		}
	}
	a->nr = places.nr;
	a->places = vec_steal(&places);
	if (a->nr)
		qsort(a->places, a->nr, sizeof(*a->places), compare);
	return 0;
}

int annotation_init(struct annotation *ret, const struct dusk_profile *p, uint32_t function)
{
	_cleanup_(freep) uint64_t *of_frame = calloc((size_t)p->nr_frames + 1, sizeof(*of_frame));
	int err;

	*ret = (struct annotation){.function = function};
	if (!of_frame)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node, frame = node ? p->nodes[node].frame : 0;

		if (frame && p->frames[frame].function == function)
			of_frame[frame]++;
	}
	err = choose_module(ret, p, of_frame);
	return err ? err : list_places(ret, p, of_frame);
}

void annotation_done(struct annotation *a)
{
	free(steal(a->places));
}

uint64_t annotation_sum(const struct annotation *a, uint64_t start, uint64_t end)
{
	size_t low = 0, high = a->nr;
	uint64_t sum = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->places[middle].address < start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < a->nr && a->places[low].address < end; low++)
		sum += a->places[low].samples;
	return sum;
}
