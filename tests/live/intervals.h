/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a profile says of time off CPU, beside what the victim says (victims/truth.h). Whatever fails fails the test. */
#pragma once
#include "live.h"

/* What a victim wrote of itself. */
struct truth {
	char function[64]; /* "life": of a thread as a whole */
	pid_t tid;
	uint64_t ns; /* off CPU in the function; a life: from its begin to its end */
	bool has_counts;
	uint64_t more_ns; /* if it has none, ns is a lower bound: it may be so much more, besides the wait for a CPU */
	uint64_t runnable_ns, sleeps, preemptions, preempted_ns;
	uint64_t cpu_ns; /* of a life */
};

struct truths {
	size_t nr;
	struct truth line[256];
};

void truths_read(const char *path, struct truths *ret);

/* Off-CPU intervals, summed. */
struct away {
	uint64_t ns, runnable_ns;
	uint64_t sleeps, preemptions; /* by state; preempted is one that only waited for its turn */
	uint64_t rows, cut;	      /* cut: rows whose user stack is not complete */
	const char *why_cut;	      /* the outcome of one of these */
	uint64_t anywhere,
		anywhere_ns; /* beside these: off-CPU intervals of the thread whose stack says why it does not say where */
};

/* Of thread @tid (0: of all) with @function (NULL: whatever) in the stack. */
struct away away_in(const struct dusk_profile *p, pid_t tid, const char *function);

/*
 * The sentence of the complete user stacks of all off-CPU intervals of @tid in @function, which is one and the same. To be freed.
 */
char *away_sentence(const struct dusk_profile *p, pid_t tid, const char *function);

/* Does @a differ from @b by at most so many millionths of it, and @more_ns? */
bool within(uint64_t a, uint64_t b, uint64_t millionths, uint64_t more_ns);

/*
 * Each thread's time adds up, within 0.1 %: on CPU, runnable and blocked are its life, and its off-CPU intervals are
 * what was runnable and blocked. Names the thread that misses it.
 */
void check_conservation(const struct dusk_profile *p);
