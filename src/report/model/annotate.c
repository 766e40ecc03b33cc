/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Count the samples at each address of a function. See annotate.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "report/model/annotate.h"
#include "report/model/label.h"

#define LINE 0xfffffULL /* the bits of the offset in a source file that are the line: doc/format.md */

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

/* A function of the name: one of each file, unless several of its sources have a static one. */
struct candidate {
	uint32_t module;
	uint64_t start, samples;
};

static bool is_source(const struct dusk_profile *p, uint32_t module)
{
	return p->modules[module].kind == DUSK_MODULE_SOURCE;
}

/* Where the function of @f begins; where that is not known, as if there were one of the name. */
static uint64_t start_of(const struct dusk_profile *p, const struct dusk_frame *f)
{
	if (is_source(p, f->module))
		return f->offset & ~LINE;
	return f->is_inlined || f->function_offset < f->is_return ? 0 : f->address - f->function_offset;
}

static int by_start(const void *first, const void *second)
{
	const struct candidate *a = first, *b = second;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* Add up candidates that are the same, which are next to each other. Returns how many are left. */
static size_t add_up(struct candidate *v, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (i && !by_start(&v[i], &v[kept - 1]))
			v[kept - 1].samples += v[i].samples;
		else
			v[kept++] = v[i];
	}
	return kept;
}

/* Choose the one at @start, or with most samples; and of the others in its file that with most. */
static void choose(struct annotation *a, const struct candidate *v, size_t nr, uint64_t start)
{
	const struct candidate *other = NULL;
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++) {
		all += v[i].samples;
		if ((start != ANNOTATE_ANY && v[i].start != start) || v[i].samples <= a->samples)
			continue;
		a->module = v[i].module;
		a->start = v[i].start;
		a->samples = v[i].samples;
	}
	a->elsewhere = all - a->samples;
	for (size_t i = 0; i < nr; i++)
		if (v[i].module == a->module && v[i].start != a->start && (!other || v[i].samples > other->samples))
			other = &v[i];
	a->other = other ? other->start : ANNOTATE_ANY;
}

static int choose_function(struct annotation *a, const struct dusk_profile *p, const uint64_t *of_frame, uint64_t start)
{
	struct vec(struct candidate) all = {0};

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];

		if (of_frame[i] && vec_push(&all, ((struct candidate){f->module, start_of(p, f), of_frame[i]}))) {
			vec_done(&all);
			return -ENOMEM;
		}
	}
	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), by_start);
	choose(a, all.v, add_up(all.v, all.nr), start);
	vec_done(&all);
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

		if (f->module != a->module || start_of(p, f) != a->start || !of_frame[i])
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

int annotation_init(struct annotation *ret, const struct dusk_profile *p, uint32_t function, uint64_t start)
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
	err = choose_function(ret, p, of_frame, start);
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

bool annotation_is_source(const struct annotation *a, const struct dusk_profile *p)
{
	return is_source(p, a->module);
}

int annotated_source_init(struct annotated_source *ret, const struct annotation *a, const struct dusk_profile *p)
{
	struct dusk_code_line *lines = calloc(a->nr + 1, sizeof(*lines));
	uint32_t nr = 0;

	*ret = (struct annotated_source){.file = p->modules[a->module].path};
	if (!lines)
		return -ENOMEM;
	for (size_t i = 0; i < a->nr; i++)
		if (a->places[i].address & LINE && (!nr || lines[nr - 1].address < a->places[i].address))
			lines[nr++] = (struct dusk_code_line){a->places[i].address, 0, a->places[i].address & LINE};
	ret->code = (struct dusk_code){
		.start = a->start,
		.end = a->start + LINE + 1,
		.fd = -1,
		.nr_files = 1,
		.nr_lines = nr,
		.files = &ret->file,
		.lines = lines,
	};
	return 0;
}

void annotated_source_done(struct annotated_source *s)
{
	free(steal(s->code.lines));
}
