/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is the time to be believed when profiles are removed for their age?
 *
 * A clock that jumps makes all of a store old in a moment. CLOCK_BOOTTIME does not jump: when the distance of both changes by more than
 * minutes, ages are not believed for a day, in which somebody may set the clock right. The distance is in a file in the store,
 * so that an agent that begins in the same boot knows it. In another boot there is nothing to compare with: the clock is believed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define CLOCK_JUMP_S 300
#define CLOCK_SETTLE_S 86400

struct agent_clock {
	char boot_id[37];
	int64_t offset_s; /* of CLOCK_REALTIME to CLOCK_BOOTTIME */
	int64_t jumped_s; /* by CLOCK_BOOTTIME, the last time; -1: it did not */
};

/*
 * What the agent before, in @before, has noted (NULL: nothing) becomes @c's, if it is of the boot @boot_id. @real_s and @boot_s: what the
 * clocks say now.
 */
void agent_clock_init(struct agent_clock *c, const char *before, const char *boot_id, int64_t real_s, int64_t boot_s);

/* Look at the clocks. Returns by how much, in seconds, one has jumped since the last time; 0: it has not. */
int64_t agent_clock_look(struct agent_clock *c, int64_t real_s, int64_t boot_s);

/* Are ages to be believed? */
bool agent_clock_is_settled(const struct agent_clock *c, int64_t boot_s);

/* The same with the clocks of this machine, and the file in @store; a jump is said. */
void agent_clock_begin(struct agent_clock *c, const char *store);
bool agent_clock_follow(struct agent_clock *c, const char *store);
