/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Has each module a number of its own, and no walker one beyond the last, when a few ask at the same time? */
#include "explore.h"
#include "core/module_number.h"

#define WALKERS 3

static struct {
	u32 given, mine[WALKERS];
} shared;
static u32 before; /* numbers that were given when it begins */

static void reset(void)
{
	memset(&shared, 0, sizeof(shared));
	shared.given = before;
}

static void thread(u32 me)
{
	shared.mine[me] = module_number(&shared.given);
}

/* The next numbers, as long as there are some, one to each. */
static bool is_right(void)
{
	u32 left = MAX_MODULE_ID - before, nr = left < WALKERS ? left : WALKERS, seen = 0;

	for (u32 i = 0; i < WALKERS; i++) {
		if (!shared.mine[i])
			continue;
		if (shared.mine[i] <= before || shared.mine[i] > before + nr)
			return false;
		seen |= 1u << (shared.mine[i] - before);
	}
	return seen == ((1u << nr) - 1) << 1;
}

int main(void)
{
	struct model m = {WALKERS, thread, NULL, reset, is_right, .part = {PART(shared)}};

	explore_holds(&m, "each walker gets a number that no other one has");
	for (before = MAX_MODULE_ID - 2; before <= MAX_MODULE_ID; before++)
		explore_holds(&m, "none gets one beyond the last");
	return explore_done();
}
