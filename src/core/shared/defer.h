/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When is a task's user stack due, and for whom?
 *
 * The user stack stands still while its task is in the kernel, so all who ask during one visit share one walk and one
 * cookie. Both live in one word:
 *
 *	63            17     16      15          0
 *	[    cookie     | elsewhere |  consumers ]	0 = nobody has asked
 *
 * One word, because an NMI may ask between any two instructions: with two, it could join a walk under a cookie that the
 * walk has already given up.
 *
 * A cookie lives from the first request to the end of the walk that serves it. It is never 0 and never used again:
 * below, the CPU's number, in as many bits as this machine's numbers need; above, how many that CPU has given out. With
 * 64 CPUs 41 bits count: at 130,000 walks a second, more than a CPU has done, for 195 days; and then the CPU gives out
 * no more.
 */
#pragma once
#include "core/atomic.h"

#define DEFER_CONSUMERS 16
#define DEFER_ELSEWHERE (1U << DEFER_CONSUMERS) /* some of what waits is not in the task: tell which stack it was */
#define DEFER_BITS 17				/* of these; the other 47 hold the cookie */
#define DEFER_ALL ((1ULL << DEFER_CONSUMERS) - 1)
#define DEFER_ATTEMPTS 5 /* softirq, hardirq, NMI may ask in between, and a consumer leave */

enum defer_verdict {
	DEFER_SCHEDULE,	 /* first request: the caller has to see that the walk takes place */
	DEFER_JOIN,	 /* the walk is on its way */
	DEFER_REPEAT,	 /* and @who had asked before */
	DEFER_CONTENDED, /* interrupted too often; nothing was asked */
};

struct defer {
	u64 word;
};

/*
 * The @count-th cookie of @cpu, where @cpu_bits are enough for all numbers of CPUs. 0: there is none, nor will there
 * be.
 */
static INLINE u64 defer_cookie(u32 cpu, u32 cpu_bits, u64 count)
{
	if (count >> (64 - DEFER_BITS - cpu_bits) || cpu >> cpu_bits)
		return 0;
	return count << cpu_bits | cpu;
}

/*
 * Consumer @who (below DEFER_CONSUMERS) asks for the stack. *@cookie is the cookie of the walk that will serve it:
 * @fresh if this is the first request; untouched if contended. A caller who sees that somebody has asked may save
 * himself the @fresh cookie: 0; if it then turns out to be needed, that counts as contended. Any context; constant
 * time.
 */
CORE enum defer_verdict defer_request(struct defer *d, u32 who, u64 fresh, u64 *cookie);

/*
 * Consumer @who leaves: nothing of it may stay in @d. False: others kept changing it; try again. Any task may do this
 * to any other; who asks meanwhile is none of @who's.
 */
CORE bool defer_cancel(struct defer *d, u32 who);

/* Does @cookie still wait for its walk? */
static INLINE bool defer_waits(const struct defer *d, u64 cookie)
{
	return load_acquire(&d->word) >> DEFER_BITS == cookie;
}

/* Set DEFER_ELSEWHERE for @cookie. False: it has been given up (or the word kept changing). */
CORE bool defer_mark(struct defer *d, u64 cookie);

/* If nobody waits any more, give the cookie up and return it. 0: somebody does (or nobody ever did). */
CORE u64 defer_idle(struct defer *d);

/*
 * The walk is done (or given up): nobody waits any more. Returns the consumers to serve, a bit each, and
 * DEFER_ELSEWHERE; 0: there were none.
 */
CORE u64 defer_take(struct defer *d, u64 *cookie);
