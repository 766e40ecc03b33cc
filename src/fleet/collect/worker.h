/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread that is given jobs, and does all that have gathered at once. */
#pragma once
#include <stdbool.h>

struct job {
	struct job *next;
};

struct worker;

/*
 * Start a thread that calls @work with a list of jobs, in the order in which they were given. When one comes it waits @gather_ms
 * for others. Returns 0 or a negative errno.
 */
int worker_start(struct worker **ret, void (*work)(void *ctx, struct job *first), void *ctx, unsigned int gather_ms);

/* Returns false if the worker is to end: then the job is not done. */
bool worker_give(struct worker *w, struct job *j);

/* Do what was given, and end. The worker may be given jobs until it is freed. */
void worker_end(struct worker *w);
void worker_free(struct worker *w);
