/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Make one profile of those of a day that is over, with longer windows: stacks, functions and threads are there once then,
 * and not once an hour.
 *
 * A child merges, dusk merge, into a file FIRST-LAST.merging, which no command reads. When that is complete its parts are
 * removed, and it gets the name of the first one: what is killed in between is completed when the next agent begins, by the
 * names alone. So nothing is in a store twice, and nothing is lost. A part that is damaged gets another name, STORE_BAD, and
 * is counted in the result.
 */
#pragma once
#include <limits.h>
#include "cli/agent/agent.h"

#define COMPACT_MAX_BYTES (24 << 20) /* of all parts of one: they are in memory at the same time */
#define COMPACT_MAX_PARTS 100

struct compaction {
	pid_t pid; /* of the child; 0: none */
	struct agent_profiles parts;
	char path[PATH_MAX]; /* of what it makes */
	uint64_t next_ns;    /* when to look for something to do, by now_ns() */
	char failed[32];     /* the first part of what could not be merged: later ones go before it. "": nothing */
};

/* Begin the next one, if there is none and something is due, or end the one that is complete. */
void compact_follow(struct compaction *c, const struct agent_options *o, uint64_t now_ns);

/* End it, with the store as it was before. */
void compact_stop(struct compaction *c);

/* As compact_stop(), if there is one; what is due is done later. */
void compact_put_off(struct compaction *c, uint64_t now_ns);

/* Complete, or undo, what an agent was doing that was killed. */
void compact_recover(const char *store);
