/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which walk takes longer than it ever should, and of which process it is.
 *
 * Walkers are claimed and released all the time, and the watchdog cannot stop them. Tid and time are two words; but the
 * time is 0 whenever the tid changes, and no time occurs twice. So what is found out between two reads of the same time
 * is true of the walk that began then: its tid, and the task that has it, since a task that walks cannot exit.
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

#define WATCHDOG_PARTS 4 /* a process may have 1/PARTS of all walkers, and the first that it claims */

/*
 * Let process @tgid keep @w, which was just claimed for it, unless it has more than its part of @nr_walkers. Its tgid is written
 * before @count(@ctx) counts its walkers, so of two walks that do this at the same time at least one sees the other. If
 * the process may not keep it, @w is released. The @first place where a process looks is not counted: it may always
 * have that one.
 */
static INLINE bool watchdog_share(struct walker_head *w, u32 tgid, bool first, u32 nr_walkers, u32 (*count)(void *ctx),
				  void *ctx)
{
	xchg(&w->tgid, tgid);
	if (first || count(ctx) <= nr_walkers / WATCHDOG_PARTS + 1)
		return true;
	watchdog_release(w);
	return false;
}

static INLINE bool watchdog_is_still(const struct walker_head *w, u64 since_ns)
{
	return load_acquire(&w->since_ns) == since_ns;
}

/*
 * Return the tid of a walk that began before @before_ns, and its time *@since_ns; 0: no such walk. What the caller then
 * finds out about the tid is true if watchdog_is_still() afterwards.
 */
static INLINE u32 watchdog_late(const struct walker_head *w, u64 before_ns, u64 *since_ns)
{
	u32 tid;

	*since_ns = load_acquire(&w->since_ns);
	tid = load_acquire(&w->tid);
	return *since_ns && *since_ns < before_ns && watchdog_is_still(w, *since_ns) ? tid : 0;
}

/* Is there a walk that began before @before_ns, and that still goes on after @look_up(@ctx) has looked up its thread? */
static INLINE bool watchdog_accuse(const struct walker_head *w, u64 before_ns, bool (*look_up)(void *ctx, u32 tid),
				   void *ctx)
{
	u64 since;
	u32 tid = watchdog_late(w, before_ns, &since);

	return tid && look_up(ctx, tid) && watchdog_is_still(w, since);
}
