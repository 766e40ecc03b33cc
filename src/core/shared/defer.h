/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The deferral word: whether a task's user stack is pending, and for which consumers.
 *
 * The user stack does not change while its task is in the kernel, so all requests of one visit share one walk and one
 * cookie. Both are in one word:
 *
 *	63            17     16      15          0
 *	[    cookie     | elsewhere |  consumers ]	0 = no request
 *
 * One word, because an NMI may make a request between any two instructions: with two words, it could join a walk under
 * a cookie that the walk has already ended.
 *
 * A cookie lives from the first request to the end of the walk that is made for it. It is never 0 and never used again:
 * its low bits are the CPU's number, in as many bits as the numbers of this machine need; above is a count of the
 * cookies that the CPU has given out. With 64 CPUs there are 41 bits to count: enough for 195 days at 130,000 walks a
 * second, which is more than a CPU has done. After that the CPU gives out no more.
 */
#pragma once
#include "core/atomic.h"

#define DEFER_CONSUMERS 16
#define DEFER_ELSEWHERE (1U << DEFER_CONSUMERS) /* some sums are not in the task: say which stack it was */
#define DEFER_BITS 17				/* bits below the cookie, which has the other 47 */
#define DEFER_ALL ((1ULL << DEFER_CONSUMERS) - 1)
#define DEFER_ATTEMPTS 5 /* softirq, hardirq, NMI may ask in between, and a consumer leave */

enum defer_verdict {
	DEFER_SCHEDULE,	 /* first request: the caller has to schedule the walk */
	DEFER_JOIN,	 /* the walk has been scheduled */
	DEFER_REPEAT,	 /* the same, and @who had asked before */
	DEFER_CONTENDED, /* interrupted too often; nothing was requested */
};

struct defer {
	u64 word;
};

/* Return the @count-th cookie of @cpu, where all CPU numbers fit in @cpu_bits. 0: the CPU has no cookies left. */
static INLINE u64 defer_cookie(u32 cpu, u32 cpu_bits, u64 count)
{
	if (count >> (64 - DEFER_BITS - cpu_bits) || cpu >> cpu_bits)
		return 0;
	return count << cpu_bits | cpu;
}

/*
 * Request the stack for consumer @who (below DEFER_CONSUMERS). *@cookie is the cookie of the walk that will find it:
 * @fresh if this is the first request; untouched if contended. A caller that sees an earlier request may pass 0 for
 * @fresh; if a fresh cookie is needed after all, the request counts as contended. Any context; constant time.
 */
GLOBAL u32 defer_request(struct defer *d NONNULL, u32 who, u64 fresh, u64 *cookie NONNULL); /* an enum defer_verdict */

/*
 * Remove consumer @who from @d. False: others kept changing the word; try again. Any task may do this to any other; the
 * caller makes sure that @who makes no more requests.
 */
CORE bool defer_cancel(struct defer *d, u32 who);

/* Is @cookie still pending? */
static INLINE bool defer_waits(const struct defer *d, u64 cookie)
{
	return load_acquire(&d->word) >> DEFER_BITS == cookie;
}

/* Set DEFER_ELSEWHERE for @cookie. False: the cookie has ended (or the word kept changing). */
CORE bool defer_mark(struct defer *d, u64 cookie);

/* If no consumer waits any more, end the cookie and return it. 0: a consumer waits (or there was no request). */
CORE u64 defer_idle(struct defer *d);

/*
 * End the cookie, when its walk is done or cannot be. Returns the consumers to deliver to, a bit each, and
 * DEFER_ELSEWHERE; 0: there were none.
 */
CORE u64 defer_take(struct defer *d, u64 *cookie);
