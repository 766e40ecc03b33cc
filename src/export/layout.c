/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Assign addresses to frames. See layout.h. */
#include <errno.h>
#include <stdlib.h>
#include "export/layout.h"

#define PAGE_BYTES 4096ULL
#define FIRST_FILE (1ULL << 47)	    /* the end of x86-64 user addresses, unless a program asks for more */
#define MAX_FILE_BYTES (1ULL << 40) /* only a damaged profile has larger files */

static bool in_file(const struct dusk_profile *p, uint32_t module)
{
	enum dusk_module_kind kind = p->modules[module].kind;

	return kind == DUSK_MODULE_FILE || kind == DUSK_MODULE_VDSO;
}

bool layout_has(const struct dusk_profile *p, uint32_t frame)
{
	return p->modules[p->frames[frame].module].kind != DUSK_MODULE_SOURCE;
}

static uint64_t place(const struct dusk_profile *p, const struct dusk_frame *f)
{
	uint64_t at = f->offset - (f->is_return && f->offset);

	return in_file(p, f->module) && at >= MAX_FILE_BYTES ? MAX_FILE_BYTES - 1 : at;
}

int layout_new(struct layout_range **ret, const struct dusk_profile *p)
{
	struct layout_range *l = calloc(p->nr_modules + 1, sizeof(*l));
	uint64_t next = FIRST_FILE;

	if (!l)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		struct layout_range *m = &l[f->module];
		uint64_t page = place(p, f) / PAGE_BYTES * PAGE_BYTES;

		if (!layout_has(p, i))
			continue;
		if (!m->limit || page < m->start)
			m->start = page;
		if (page + PAGE_BYTES > m->limit)
			m->limit = page + PAGE_BYTES;
	}
	l[0] = (struct layout_range){0};
	for (uint32_t i = 1; i < p->nr_modules; i++) {
		if (!in_file(p, i)) {
			l[i].offset = l[i].start;
		} else if (l[i].limit) {
			l[i].start = next;
			l[i].limit += next;
			next = l[i].limit + PAGE_BYTES; /* a gap, as adjacent mappings might be merged */
		}
	}
	*ret = l;
	return 0;
}

uint64_t layout_address(const struct layout_range *l, const struct dusk_profile *p, uint32_t frame)
{
	const struct dusk_frame *f = &p->frames[frame];

	return !layout_has(p, frame) ? 0 : place(p, f) + l[f->module].start - l[f->module].offset;
}
