/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much of what was recorded has its stack, and what was lost?
 *
 * The percentage "complete" is of the samples that have a user stack or should have one: those of kernel threads, which
 * never had any, do not count. Without such samples nothing is missing: 100 %.
 */
#pragma once
#include <dusk/dusk.h>

struct ledger {
	uint64_t samples, complete, cut, no_stack, absent;	/* ticks, or absences */
	uint64_t ns;		/* what they stand for */
	uint64_t stacks;	/* distinct: nodes at which a sample stands */
	uint64_t *outcome;	/* of them, by index of dusk_profile.outcomes */
};

/* Of the ticks, or of the absences. *@ret is to be freed with ledger_done(). 0 or -ENOMEM. */
int ledger_of(struct ledger *ret, const struct dusk_profile *p, enum dusk_source source);

/* Of those that views show unless they are told: ticks; of a profile without ticks, absences. */
int ledger_init(struct ledger *ret, const struct dusk_profile *p);
void ledger_done(struct ledger *l);

double ledger_complete_percent(const struct ledger *l);

/* Is this outcome or counter one to tell the user about when it is not zero? */
bool ledger_is_loss(const struct dusk_outcome *o);
bool ledger_is_lost_counter(const struct dusk_counter *c);

/* A percentage that says 100 only of all, and 0 only of none: rounded away from both. @text holds 16 bytes. */
const char *ledger_percent(char *text, double percent);
