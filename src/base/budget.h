/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A budget that refills: what others may make us waste of something, at once and in the long run. */
#pragma once
#include <stdint.h>

/* All-zero: nothing is spent. */
struct budget {
	uint64_t spent, at_ns;
};

/*
 * Return how much of @b is spent at @now_ns. What was spent is given back evenly: @whole within @refill_ns. @now_ns: of a
 * clock that does not go back.
 */
static inline uint64_t budget_spent(struct budget *b, uint64_t whole, uint64_t refill_ns, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - b->at_ns;
	uint64_t back = passed_ns < refill_ns ? (uint64_t)((double)whole * passed_ns / refill_ns) : whole;

	b->spent -= back < b->spent ? back : b->spent;
	b->at_ns = now_ns;
	return b->spent;
}

/* Spend @amount of @b, of which @now_ns budget_spent() was asked at last. */
static inline void budget_spend(struct budget *b, uint64_t amount)
{
	b->spent += amount;
}
