/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write samples and wakers to the profile as soon as their user stack is known. */
#pragma once
#include "lib/profile/outcomes.h"
#include "lib/profile/profile_write.h"
#include "lib/record/stacks.h"
#include "lib/record/stitch.h"

struct join {
	struct profile_writer *writer;
	struct modules_known *modules;
	struct stacks *stacks;
	struct stitch *stitch;
	uint64_t start_ns;		  /* of the recording, CLOCK_MONOTONIC */
	uint64_t by_outcome[NR_OUTCOMES]; /* ticks and off-CPU intervals */
	uint64_t verified, different;	  /* immediate stacks that were walked again: the same, and not the same */
	int failed;			  /* the first error */
};

/* Return the time since the start of the recording of @time_ns (CLOCK_MONOTONIC), in ns. */
static inline uint64_t join_time(const struct join *j, uint64_t time_ns)
{
	return time_ns > j->start_ns ? time_ns - j->start_ns : 0;
}

/* The user stack of an event. */
struct user_stack {
	uint64_t cookie; /* under which the stack comes, or has come; 0: it is @stack, or there is none */
	uint32_t stack;	 /* id; 0: none */
	uint32_t pid;
	uint8_t outcome;
	bool known; /* @stack was an immediate answer, and a walk to compare it with comes under @cookie */
};

/* Write @w with user stack @s, now or when that has come. Takes ownership of @w's fields in any case. */
void join_place(struct join *j, struct waiting *w, const struct user_stack *s);

/* Write @w with user node @user (0: none) and @outcome. Frees its fields. */
void join_sample(struct join *j, const struct waiting *w, uint32_t user, uint8_t outcome);

/* The stack of @cookie is that of @same_as. */
void join_same(struct join *j, uint64_t cookie, uint64_t same_as);

/* The stack of @cookie is @user: write all samples that wait for it, and remember it for those to come. */
void join_stack(struct join *j, uint64_t cookie, uint32_t user, uint8_t outcome);
