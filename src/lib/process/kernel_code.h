/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code of the kernel that comes and goes: BPF programs, trampolines. /proc/kallsyms has what is there now, without sizes.
 *
 * To be filled with what the kernel says of it while it records, in any order: each CPU has a ring of its own. Times are of
 * CLOCK_MONOTONIC.
 */
#pragma once
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/process/code_lives.h"

/* Code came to @start at @time_ns, or went from there. */
struct kernel_code_note {
	uint64_t start, time_ns, bytes;
	const char *name;
	bool went;
};

struct kernel_code_piece {
	uint64_t start; /* must be first: rank_of() */
	uint64_t bytes, after_ns, by_ns, gone_ns;
	const char *name;
	bool went; /* it is known that it went, and not only that another one came */
};

struct kernel_code_gap {
	uint64_t to_ns; /* must be first: rank_of() */
	uint64_t from_ns;
};

/* All-zero is empty. */
struct kernel_code {
	struct vec(struct kernel_code_note) notes;   /* until they are pieces */
	struct vec(struct kernel_code_piece) pieces; /* by start */
	struct vec(struct kernel_code_gap) gaps;
	struct strings names;
	struct map bytes; /* start -> size of what is there at the end */
	uint64_t begun_ns, max_bytes;
};

void kernel_code_done(struct kernel_code *k);

/* @name has come to @start at @time_ns, @bytes long. Returns 0 or -ENOMEM. */
int kernel_code_came(struct kernel_code *k, uint64_t start, uint64_t bytes, const char *name, uint64_t time_ns);

/* It has gone; if nothing is known of its coming, it was there at .begun_ns. Returns 0 or -ENOMEM. */
int kernel_code_went(struct kernel_code *k, uint64_t start, uint64_t bytes, const char *name, uint64_t time_ns);

/*
 * From @from_ns to @to_ns some came and went that are not known. What was there then, and of which nothing is known later, has no
 * name any more. Returns 0 or -ENOMEM.
 */
int kernel_code_gap(struct kernel_code *k, uint64_t from_ns, uint64_t to_ns);

/* A program is at @start at the end, @bytes long; kallsyms has its name. Returns 0 or -ENOMEM. */
int kernel_code_stays(struct kernel_code *k, uint64_t start, uint64_t bytes);

/* Replace @ret by what came to @address, for code_lives_find(). From then on nothing may come or go. Returns 0 or -ENOMEM. */
int kernel_code_loads(struct kernel_code *k, uint64_t address, struct code_loads *ret);

/*
 * Is @address in the BPF code that kallsyms has at @start? If sizes of programs are known, what has none is a trampoline, which
 * is at most a page.
 */
bool kernel_code_holds(const struct kernel_code *k, uint64_t start, uint64_t address);
