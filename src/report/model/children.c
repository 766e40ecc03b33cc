/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of the children of each node. See children.h. */
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "report/model/children.h"

int children_init(struct children *ret, const struct dusk_profile *p)
{
	_cleanup_(freep) uint32_t *first = calloc((size_t)p->nr_nodes + 1, sizeof(*first));
	_cleanup_(freep) uint32_t *next = calloc((size_t)p->nr_nodes + 1, sizeof(*next));

	if (!first || !next)
		return -ENOMEM;
	for (uint32_t i = p->nr_nodes; i-- > 1;) {
		next[i] = first[p->nodes[i].parent];
		first[p->nodes[i].parent] = i;
	}
	ret->first = steal(first);
	ret->next = steal(next);
	return 0;
}

void children_done(struct children *c)
{
	free(steal(c->first));
	free(steal(c->next));
}
