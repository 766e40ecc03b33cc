/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "walkers.bpf.h"

struct claim {
	u32 tid, first, got;		/* @got: index + 1 */
};

static long try_claim(u32 turn, void *ctx)
{
	struct claim *c = ctx;
	u32 i = (c->first + turn) & (config.nr_walkers - 1);
	struct walker *w = bpf_map_lookup_elem(&walkers, &i);

	if (!w || !watch_claim(&w->head, c->tid))
		return NEXT;
	c->got = i + 1;
	return STOP;
}

CORE struct walker *walker_claim(u32 tid, u32 tgid, u32 *index)
{
	struct claim c = { .tid = tid, .first = walker_first(tgid) };
	struct walker *w;
	u32 i;

	bpf_loop(config.nr_walkers, try_claim, &c, 0);
	if (!c.got)
		return NULL;
	*index = c.got;
	i = c.got - 1;
	w = bpf_map_lookup_elem(&walkers, &i);
	if (w)
		watch_begin(&w->head, bpf_ktime_get_ns());
	return w;
}
