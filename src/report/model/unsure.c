/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "report/model/unsure.h"
#include <stdlib.h>

#define RETURN_BIT 47
#define METHOD_SHIFT 44
#define MODULE_SHIFT 48
#define LANGUAGE 0xfffe

/* Is @f user code that was interrupted, and left by its frame pointer alone? A frame of a language above it has been read by other means. */
static bool is_unsure(const struct dusk_profile *p, const struct dusk_frame *f, const struct dusk_frame *caller)
{
	enum dusk_module_kind kind = p->modules[f->module].kind;

	return !f->is_return && f->method == DUSK_BY_FRAME_POINTER && kind != DUSK_MODULE_KERNEL &&
	       kind != DUSK_MODULE_SOURCE && p->modules[caller->module].kind != DUSK_MODULE_SOURCE;
}

bool *unsure_nodes(const struct dusk_profile *p)
{
	bool *unsure = calloc(p->nr_nodes + 1UL, sizeof(*unsure));

	for (uint32_t i = 1; unsure && i < p->nr_nodes; i++) {
		uint32_t parent = p->nodes[i].parent;

		unsure[i] = parent && (unsure[parent] ||
				       is_unsure(p, &p->frames[p->nodes[i].frame], &p->frames[p->nodes[parent].frame]));
	}
	return unsure;
}

bool unsure_frames(const uint64_t *frame, uint32_t nr)
{
	for (uint32_t i = 0; i + 1 < nr; i++) {
		uint32_t module = frame[i] >> MODULE_SHIFT;
		bool by_fp = !module || (frame[i] >> METHOD_SHIFT & 7) == DUSK_BY_FRAME_POINTER;

		if (by_fp && module < LANGUAGE && !(frame[i] >> RETURN_BIT & 1) &&
		    frame[i + 1] >> MODULE_SHIFT != LANGUAGE)
			return true;
	}
	return false;
}
