/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does every request get the stack that it was promised, in whatever order two requesters and the walk take their
 * steps?
 *
 * And would we notice? The same with cookie and consumers in two words, where the walk takes one after the other:
 * there, requests must be found that wait for a cookie that has been given up (doc/adr/0002).
 */
#include "explore.h"
#include "core/shared/defer.c"

#define REQUESTERS 2 /* and one more thread: the task, which walks */
#define REQUESTS 2   /* of the first requester; the other one has a single one */
#define WALKS (REQUESTS + 1)

static struct defer defer;
static struct {
	u64 cookie, consumers;
} two;

static u32 scheduled; /* walks that the kernel has been asked for */

static struct {
	enum defer_verdict verdict;
	u64 cookie;
} request[REQUESTERS][REQUESTS];

static struct {
	u64 cookie, consumers;
} walk[WALKS];
static u32 nr_walks;
static bool has_asked[REQUESTERS];

static void reset(void)
{
	memset(&defer, 0, sizeof(defer));
	memset(&two, 0, sizeof(two));
	memset(request, 0, sizeof(request));
	memset(walk, 0, sizeof(walk));
	memset(has_asked, 0, sizeof(has_asked));
	scheduled = nr_walks = 0;
}

/* The mutation: the consumers first, then the cookie. */
static enum defer_verdict two_request(u32 who, u64 fresh, u64 *cookie)
{
	u64 old, bit = 1ULL << who;

	do {
		old = load_relaxed(&two.consumers);
	} while (cmpxchg(&two.consumers, old, old | bit) != old);
	if (!old)
		store_release(&two.cookie, fresh);
	*cookie = load_relaxed(&two.cookie);
	return old ? old & bit ? DEFER_REPEAT : DEFER_JOIN : DEFER_SCHEDULE;
}

static u64 two_take(u64 *cookie)
{
	*cookie = load_relaxed(&two.cookie);
	return xchg(&two.consumers, 0);
}

static bool in_two_words;

static u32 requests_of(u32 who)
{
	return who ? 1 : REQUESTS;
}

static void ask(u32 me)
{
	for (u32 i = 0; i < requests_of(me); i++) {
		u64 fresh = 1 + me * REQUESTS + i;

		if (in_two_words)
			request[me][i].verdict = two_request(me, fresh, &request[me][i].cookie);
		else
			request[me][i].verdict = defer_request(&defer, me, fresh, &request[me][i].cookie);
		if (request[me][i].verdict == DEFER_SCHEDULE)
			scheduled++;
	}
}

static void take(void)
{
	u64 cookie = 0, consumers = in_two_words ? two_take(&cookie) : defer_take(&defer, &cookie);

	assert(nr_walks < WALKS);
	walk[nr_walks].cookie = cookie;
	walk[nr_walks++].consumers = consumers;
}

static void thread(u32 me)
{
	if (me < REQUESTERS) {
		has_asked[me] = true;
		ask(me);
		return;
	}
	while (scheduled > nr_walks) /* task work, as long as there is some */
		take();
}

/* The walks are one thread: the task itself. It starts as soon as it is asked to. */
static bool can_start(u32 me)
{
	return me < REQUESTERS ? !has_asked[me] : scheduled > nr_walks;
}

static bool is_served(u32 who, u64 cookie)
{
	for (u32 i = 0; i < nr_walks; i++)
		if (walk[i].cookie == cookie && walk[i].consumers >> who & 1)
			return true;
	return false;
}

static bool is_right(void)
{
	for (u32 who = 0; who < REQUESTERS; who++)
		for (u32 i = 0; i < requests_of(who); i++)
			if (request[who][i].verdict == DEFER_CONTENDED || !is_served(who, request[who][i].cookie))
				return false; /* others cannot come in between often enough for a refusal */
	for (u32 i = 0; i < nr_walks; i++)
		for (u32 j = 0; j < i; j++)
			if (walk[i].cookie == walk[j].cookie)
				return false; /* a cookie is good for one walk */
	return true;
}

int main(void)
{
	struct model m = {
		REQUESTERS + 1,
		thread,
		can_start,
		reset,
		is_right,
		.part =
			{
				PART(defer),
				PART(two),
				PART(scheduled),
				PART(request),
				PART(walk),
				PART(nr_walks),
				PART(has_asked),
			},
	};

	explore_holds(&m, "no request goes without its stack");
	in_two_words = true;
	explore_catches(&m, "in two words, some would");
	return explore_done();
}
