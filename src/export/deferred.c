/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Group samples that share a deferred user stack. See deferred.h. Readers join them by TID, so a sample is compared
 * with the latest one of the same TID, even if the thread's name has changed.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "export/deferred.h"

bool deferred_in_kernel(const struct dusk_profile *p, uint32_t node)
{
	return node && p->modules[p->frames[p->nodes[node].frame].module].kind == DUSK_MODULE_KERNEL;
}

uint32_t deferred_user(const struct dusk_profile *p, uint32_t node)
{
	while (deferred_in_kernel(p, node))
		node = p->nodes[node].parent;
	return node;
}

static bool same_stack(const struct dusk_profile *p, const struct dusk_sample *a, const struct dusk_sample *b)
{
	return a->thread == b->thread && deferred_user(p, a->node) == deferred_user(p, b->node);
}

int deferred_new(struct deferred **ret, const struct dusk_profile *p)
{
	_cleanup_(freep) struct deferred *d = calloc(p->nr_samples + 1, sizeof(*d));
	_cleanup_(map_done) struct map latest = {0}; /* tid -> its latest sample, plus 1 */
	uint64_t nr = 0;

	if (!d || p->nr_samples >= UINT32_MAX)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		bool fresh;
		uint32_t *before = map_at(&latest, (uint32_t)p->threads[s->thread].tid, &fresh);

		if (!before)
			return -ENOMEM;
		d[i].last = deferred_user(p, s->node);
		if (*before && d[i].last && same_stack(p, &p->samples[*before - 1], s)) {
			d[i].cookie = d[*before - 1].cookie;
			d[*before - 1].last = false;
		} else if (d[i].last) {
			d[i].cookie = ++nr;
		}
		if (*before)
			d[*before - 1].hurried = s->time_ns <= p->samples[*before - 1].time_ns;
		*before = i + 1;
	}
	*ret = steal(d);
	return 0;
}
