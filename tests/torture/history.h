/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which entries of the log was a thread at a given time? */
#pragma once
#include <dusk/dusk.h>
#include "truth.h"

struct history;

/* NULL: out of memory, or the profile does not say when it began. Borrows both. */
struct history *history_new(const struct truth *truth, const struct dusk_profile *p);
void history_free(struct history *h);

/* Has process @pid written entries? */
bool history_knows(const struct history *h, pid_t pid);

/* When the sample was taken, as the log has it. */
uint64_t history_time(const struct history *h, const struct dusk_sample *s);

/*
 * The entries that surely cover the sample, by level to @ret (NULL where there is none): 1 + the highest level. The
 * neighbours of level 0: NULL where they are not known, or the process ended or began in between.
 */
int history_at(const struct history *h, const struct dusk_sample *s, const struct truth_entry **ret, int max,
	       const struct truth_entry **before, const struct truth_entry **after);
