/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Claim walkers from the pool. */
#include "bpf/common/walkers.bpf.h"

struct claim {
	u32 tid, tgid, first, got; /* @got: index + 1 */
	u32 own;
};

static long try_claim(u32 turn, void *ctx)
{
	struct claim *c = ctx;
	u32 i = (c->first + turn) & (config.nr_walkers - 1);
	struct walker *w = bpf_map_lookup_elem(&walkers, &i);

	if (!w || !watchdog_claim(&w->head, c->tid))
		return NEXT;
	c->got = i + 1;
	return STOP;
}

static long count_own(u32 i, void *ctx)
{
	struct claim *c = ctx;
	struct walker *w = bpf_map_lookup_elem(&walkers, &i);

	if (w && load_relaxed(&w->head.tgid) == c->tgid)
		c->own++;
	return NEXT;
}

static INLINE u32 count_walkers(void *ctx)
{
	struct claim *c = ctx;

	bpf_loop(config.nr_walkers, count_own, c, 0);
	return c->own;
}

CORE struct walker *walker_claim(u32 tid, u32 tgid, u32 *index)
{
	struct claim c = {.tid = tid, .tgid = tgid, .first = walker_first(tgid)};
	struct walker *w;
	u32 i;

	bpf_loop(config.nr_walkers, try_claim, &c, 0);
	if (!c.got)
		return NULL;
	*index = c.got;
	i = c.got - 1;
	w = bpf_map_lookup_elem(&walkers, &i);
	if (!w)
		return NULL;
	/* Limit the share of a process: walks may wait for a disk, and a process can make many threads wait. */
	if (!watchdog_share(&w->head, tgid, i == c.first, config.nr_walkers, count_walkers, &c)) {
		*index = 0;
		return NULL;
	}
	watchdog_begin(&w->head, bpf_ktime_get_ns());
	return w;
}
