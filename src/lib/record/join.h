/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write samples and wakers to the profile as soon as their user stack is known. */
#pragma once
#include "base/clock.h"
#include "base/map.h"
#include "lib/profile/file/abi_names.h"
#include "lib/profile/write/write.h"
#include "lib/record/cgroups.h"
#include "lib/record/stacks.h"
#include "lib/unwinder/stitch.h"

/* A sample, or the waker of an off-CPU interval, complete but for its user stack. */
struct waiting {
	struct dusk_sample sample; /* without node and outcome */
	u64 interval;		   /* its number in the profile; 0: none has been assigned, and none is needed yet */
	u8 waker;		   /* enum waker_kind, if this is a waker; then only the thread of @sample is used */
	u32 kernel_stack;	   /* as stacks.h numbers them; 0: none */
	u32 expected;		   /* the node of the immediate user stack, to be verified; 0: none */
	u32 event;		   /* the number of the event, if the source is DUSK_EVENT */
	char *fields;		   /* its fields as text, or NULL; to be freed with free() when it stops waiting */
};

struct join {
	struct profile_writer *writer;
	struct titles *titles; /* NULL: arguments of processes are not noted */
	struct modules_known *modules;
	struct stacks *stacks;
	struct cgroups cgroups;
	struct stitch *stitch;				  /* of struct waiting; a resolved stack is a node */
	uint64_t start_ns;				  /* of the recording, CLOCK_MONOTONIC */
	uint64_t by_outcome[DUSK_EVENT + 1][NR_OUTCOMES]; /* by source: ticks, off-CPU intervals, occurrences */
	uint64_t verified, different; /* immediate stacks that were walked again: the same, and not the same */
	int failed;		      /* the first error */
};

/* Return a stitch for a join, or NULL when memory is short. */
struct stitch *join_stitch(void);

/* Free the stitch of @j, and what still waits. */
void join_done(struct join *j);

/* The recording begins now. */
static inline void join_begin(struct join *j)
{
	j->start_ns = now_ns();
}

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

/* End: write all that still waits, without a user stack. @due: the cookies that are still requested; others were lost. */
void join_end(struct join *j, const struct map *due);
