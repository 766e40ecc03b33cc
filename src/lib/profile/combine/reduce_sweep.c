/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Remove what nothing refers to any more. See reduce.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "lib/profile/combine/reduce.h"

/* The new number of each row of a table that is used, in the same order; the others have 0, as has the first, "none". */
struct used {
	uint32_t *number, nr; /* before used_number() 1: is used */
};

static int used_init(struct used *u, uint32_t nr)
{
	*u = (struct used){calloc(nr + 1UL, sizeof(*u->number)), nr};
	return u->number ? 0 : -ENOMEM;
}

/* Returns how many there are, with "none". */
static uint32_t used_number(struct used *u)
{
	uint32_t nr = 1;

	for (uint32_t i = 1; i < u->nr; i++)
		if (u->number[i])
			u->number[i] = nr++;
	u->number[0] = 0;
	return nr < u->nr ? nr : u->nr;
}

/* Move the rows that are used to their new numbers. */
#define KEEP(p, rows, u)                                                  \
	do {                                                              \
		for (uint32_t i = 1; i < (u)->nr; i++)                    \
			if ((u)->number[i])                               \
				(p)->rows[(u)->number[i]] = (p)->rows[i]; \
	} while (0)

static void used_lines(const struct dusk_profile *p, const struct dusk_frame *f, struct used *functions)
{
	for (uint32_t i = 0; i < f->nr_lines; i++)
		functions->number[p->lines[f->first_line + i].function] = 1;
}

/* Frames keep their order, so lines can move within their array if they are in that order, too: otherwise they are copied. */
static int move_lines(struct dusk_profile *p, const struct used *functions)
{
	struct dusk_line *lines = calloc(p->nr_lines + 1UL, sizeof(*lines));
	uint32_t nr = 0;

	if (!lines)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		struct dusk_frame *f = &p->frames[i];
		uint32_t first = nr;

		for (uint32_t k = 0; k < f->nr_lines; k++) {
			lines[nr] = p->lines[f->first_line + k];
			lines[nr].function = functions->number[lines[nr].function];
			nr++;
		}
		f->first_line = first;
	}
	free(p->lines);
	p->lines = lines;
	p->nr_lines = nr;
	return 0;
}

static int sweep_stacks(struct dusk_profile *p, struct used *frames, struct used *functions, struct used *modules)
{
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		frames->number[p->nodes[i].frame] = 1;
	for (uint32_t i = 1; i < p->nr_frames; i++)
		if (frames->number[i]) {
			functions->number[p->frames[i].function] = 1;
			modules->number[p->frames[i].module] = 1;
			used_lines(p, &p->frames[i], functions);
		}
	p->nr_frames = used_number(frames);
	KEEP(p, frames, frames);
	p->nr_functions = used_number(functions);
	KEEP(p, functions, functions);
	p->nr_modules = used_number(modules);
	KEEP(p, modules, modules);
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		p->frames[i].function = functions->number[p->frames[i].function];
		p->frames[i].module = modules->number[p->frames[i].module];
	}
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		p->nodes[i].frame = frames->number[p->nodes[i].frame];
	return move_lines(p, functions);
}

static void sweep_wakers(struct dusk_profile *p, struct used *wakers)
{
	for (uint64_t i = 0; i < p->nr_samples; i++)
		wakers->number[p->samples[i].waker] = 1;
	p->nr_wakers = used_number(wakers);
	KEEP(p, wakers, wakers);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		p->samples[i].waker = wakers->number[p->samples[i].waker];
}

int reduce_sweep(struct dusk_profile *p)
{
	struct used frames = {0}, functions = {0}, modules = {0}, wakers = {0};
	int err = used_init(&frames, p->nr_frames) ?: used_init(&functions, p->nr_functions)
			  ?: used_init(&modules, p->nr_modules) ?: used_init(&wakers, p->nr_wakers);

	if (!err) {
		sweep_wakers(p, &wakers);
		err = sweep_stacks(p, &frames, &functions, &modules);
	}
	free(frames.number);
	free(functions.number);
	free(modules.number);
	free(wakers.number);
	return err;
}
