/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which walk takes longer than it ever should, and whose is it?
 *
 * Walkers are claimed and released all the time, and who watches can stop nobody. Tid and time are two words; but the
 * time is 0 whenever the tid changes, and no time comes back. So what was found out between two looks at one and the
 * same time is true of the walk that was begun then: its tid, and which task that is, for who walks cannot exit.
 */
#pragma once
#include "abi/state.h"
#include "core/atomic.h"

static INLINE bool watchdog_claim(struct walker_head *w, u32 tid)
{
	return !cmpxchg(&w->tid, 0, tid);
}

static INLINE void watchdog_begin(struct walker_head *w, u64 now_ns)
{
	store_release(&w->since_ns, now_ns);
}

static INLINE void watchdog_release(struct walker_head *w)
{
	store_release(&w->since_ns, 0);
	xchg(&w->tgid, 0);
	xchg(&w->tid, 0);
}

/*
 * May process @tgid have @w, which was just claimed for it? No process has more than @share: whose walker it is is said
 * before it is counted how many are, by @count(@ctx), so of two walks that do so at the same time each sees the other,
 * or is seen by it. If not, it is given back. The @first place where a process looks is not counted: it has that one
 * always.
 */
static INLINE bool watchdog_share(struct walker_head *w, u32 tgid, bool first, u32 share, u32 (*count)(void *ctx),
				  void *ctx)
{
	xchg(&w->tgid, tgid);
	if (first || count(ctx) <= share)
		return true;
	watchdog_release(w);
	return false;
}

static INLINE bool watchdog_is_still(const struct walker_head *w, u64 since_ns)
{
	return load_acquire(&w->since_ns) == since_ns;
}

/*
 * The tid of a walk that was begun before @before_ns, *@since_ns; 0: no such walk. What the caller then finds out about
 * the tid is true if watchdog_is_still().
 */
static INLINE u32 watchdog_late(const struct walker_head *w, u64 before_ns, u64 *since_ns)
{
	u32 tid;

	*since_ns = load_acquire(&w->since_ns);
	tid = load_acquire(&w->tid);
	return *since_ns && *since_ns < before_ns && watchdog_is_still(w, *since_ns) ? tid : 0;
}
