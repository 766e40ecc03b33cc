/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a victim say of its own stacks? The log that victims write and the judge reads.
 *
 * An entry says: thread @tid was in the functions that @path names, from @start_ns to @end_ns. It had entered the
 * innermost of them before it read the first clock, and left it after it read the second.
 */
#pragma once
#include <stdint.h>

#define TRUTH_ENTRIES (1 << 20)
#define TRUTH_MAGIC 0x6874757274ULL

struct truth_entry {
	uint32_t tid, pid;	   /* in the PID namespace of the /proc that is mounted */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC; 0: not reached */
	uint16_t path;
	uint16_t level; /* 0: the thread itself; 1: in a signal handler; 2: in a handler in that ... */
	uint32_t pad;
};

struct truth {
	uint64_t magic, nr; /* nr: entries claimed; may be more than there are */
	uint64_t pad[2];
	struct truth_entry entry[TRUTH_ENTRIES];
};

/* In place of a path: from @start_ns on, what process @pid has open may end at any time; or: here it begins anew. */
#define TRUTH_DOOM 0xffff
#define TRUTH_BIRTH 0xfffe

/*
 * A path is a chain of functions in a number: the caller, the way down, what is done there.
 *
 *	run | on_signal		for the thread itself, or in a handler
 *	via_a ... via_d		bits 0 and 1: the same code four times over
 *	step
 *	deep, DEEP times	bit 2: or not at all
 *	body			from bit 3: one of these
 *
 * All ways of one body differ in return addresses only.
 */
#define BODIES(X)      \
	X(burn)        \
	X(nap)         \
	X(calls)       \
	X(touch)       \
	X(signal_self) \
	X(replace)     \
	X(migrate)     \
	X(evict)       \
	X(reread)      \
	X(submit)      \
	X(fill)        \
	X(stall)

enum body {
#define X(name) BODY_##name,
	BODIES(X)
#undef X
		NR_BODIES
};

#define NR_VIAS 4
#define DEEP 24
#define PATH(via, deep, body) ((via) | (deep) << 2 | (body) << 3)
#define PATH_VIA(path) ((path) & 3)
#define PATH_DEEP(path) ((path) >> 2 & 1)
#define PATH_BODY(path) ((path) >> 3)
