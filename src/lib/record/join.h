/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples and wakers become rows of the profile, as soon as their user stack is known. */
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
	uint64_t verified, different; /* stacks told at once and walked again: that were the same, and that were not */
	int failed;		      /* the first error */
};

/* @s.time_ns is CLOCK_MONOTONIC. */
static inline uint64_t join_time(const struct join *j, uint64_t time_ns)
{
	return time_ns > j->start_ns ? time_ns - j->start_ns : 0;
}

/* What an event says of a user stack. */
struct user_stack {
	uint64_t cookie; /* it may be known, or come; 0: @stack, or none */
	uint32_t stack;	 /* id; 0: none */
	uint32_t pid;
	uint8_t outcome;
	bool known; /* @stack was told at once, and a walk of it comes under @cookie */
};

/* @w stands on that. Whatever comes of it, its fields are taken. */
void join_place(struct join *j, struct waiting *w, const struct user_stack *s);

/* @w stands on user node @user (0: none), @outcome says how that ended. Its fields are freed. */
void join_sample(struct join *j, const struct waiting *w, uint32_t user, uint8_t outcome);

/* The stack of @cookie is that of @same_as. */
void join_same(struct join *j, uint64_t cookie, uint64_t same_as);

/* That stack: for all that wait, and will. */
void join_stack(struct join *j, uint64_t cookie, uint32_t user, uint8_t outcome);
