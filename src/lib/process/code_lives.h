/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which function was at an address, and when. Memory that JITs and the kernel have code in is used again, so that an
 * address alone does not identify a function.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vec.h"

#define CODE_STAYS UINT64_MAX

/* A function was put at an address. Times are of CLOCK_MONOTONIC. */
struct code_load {
	uint64_t after_ns, by_ns; /* not before the one, at the other at the latest; equal: exactly then */
	uint64_t gone_ns;	  /* when it was taken away from there, or CODE_STAYS */
	uint64_t start;
	const char *name; /* borrowed */
	uint32_t order;	  /* of code_lives_find() */
};

struct code_loads vec(struct code_load);

static inline void code_loads_done(struct code_loads *l)
{
	vec_done(l);
}

/* It was certainly there from @from_ns on, and before @to_ns. */
struct code_life {
	uint64_t from_ns, to_ns; /* @from_ns must be first: rank_of() */
	uint64_t start;
	const char *name;
	bool is_first; /* nothing is known of this address from before */
};

struct code_lives vec(struct code_life);

/*
 * Find out from @loads of one address, which it sorts, what was there when, and set @ret to it, in the order of time.
 * What is loaded replaces what was there. In between, where it may have been either of two functions, it is none. A function
 * of which only the latest time is known is taken to have been there before, unless another one was; those that came by the
 * same time came in their order. Of an exact load and
 * an inexact one that may be the same the exact one counts: a JIT may say the same in two files.
 * Returns 0 or -ENOMEM.
 */
int code_lives_find(struct code_lives *ret, struct code_loads *loads);

/*
 * Return what was there from @from_ns to @to_ns, both included, or NULL: nothing is known, or it changed. What was loaded in
 * that time counts if nothing else is known of the time before.
 */
const struct code_life *code_lives_at(const struct code_lives *l, uint64_t from_ns, uint64_t to_ns);
