/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the off-CPU intervals in which a thread only waits for work.
 *
 * A thread is idle at a place of its program if it slept there for at least 99 % of its life in the recording. The
 * place is its user stack; kernel threads, which have none, have one place. A place that waits for a lock, known by the
 * name of a function, is never idle. So this finds the idle threads of pools, auxiliary processes and kernel threads,
 * but no thread that does as little as 1 % of work, and none that hangs.
 */
#pragma once
#include <dusk/dusk.h>

struct idle;

/* Examine all off-CPU intervals of @p. Free *@ret with idle_free() before @p. Returns 0 or -ENOMEM. */
int idle_new(struct idle **ret, const struct dusk_profile *p);
void idle_free(struct idle *d);

static inline void idle_freep(struct idle **d)
{
	idle_free(*d);
}

/* Is @s, with its node as it is in the profile, an off-CPU interval of a thread that is idle there? */
bool idle_has(const struct idle *d, const struct dusk_sample *s);
