/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The consumers of user stacks, as all tools on the machine see them.
 *
 * A consumer is a slot of the registry, and has that bit in the deferral word of each task. Tools refer to it by a
 * handle, which holds the slot and its generation: once the consumer is gone, its handle is invalid.
 */
#pragma once
#include "abi/types.h"

#define MAX_CONSUMERS 16

/* How stacks are delivered to a consumer; <dusk/unwind.h> has the same numbers. */
enum {
	DELIVER_RING = 1,      /* send a stack event to its ring buffer */
	DELIVER_SUMS = 2,      /* add its sums to its aggregation map, under the stack */
	DELIVER_CALLBACK = 4,  /* call dusk_unwind_done() in its program */
	DELIVER_AT_ONCE = 8,   /* wake the ring's reader for each stack; else it polls */
	DELIVER_MODULES = 16,  /* send module events to its ring */
	DELIVER_OVERFLOW = 32, /* send to its ring what its aggregation map has no room for, */
	DELIVER_INLINE = 64,   /* and inline stacks, with their sums */
	DELIVER_LAST = 128,    /* also the last stacks of tasks that exit or call execve(), without a request */
};

struct consumer {
	u32 generation; /* odd: open */
	u32 flags;
	u32 tool, pad;
	u64 lost_stacks, lost_modules, lost_sums;
	u64 pad2[2];
};

static inline u32 consumer_handle(u32 slot, u32 generation)
{
	return generation << 8 | slot;
}

static inline u32 consumer_slot(u32 handle)
{
	return handle & (MAX_CONSUMERS - 1);
}

static inline u32 consumer_generation(u32 handle)
{
	return handle >> 8;
}

/*
 * A row of a consumer's aggregation map.
 *
 * A row with cookie 0 is final: its sum belongs to this key and this user stack. User space joins rows that have a
 * cookie. They occur when a task has more keys at once than it can hold: SUM_DUE rows wait for their stack, and the
 * SUM_RESOLVED row of the same cookie names it.
 */
enum sum_kind { SUM_FINAL, SUM_DUE, SUM_RESOLVED };

struct aggregation_key {
	u64 key; /* the consumer's */
	u64 cookie;
	u32 stack; /* id in the stackmap, 0: none */
	u16 outcome;
	u16 kind;
};

struct aggregation_sum {
	u64 amount, part, count; /* a part of @amount that the consumer counts separately */
};

/* What a tool's own programs know of its consumers. */
struct consumers_here {
	u32 handle[MAX_CONSUMERS];   /* by the number that the programs use; 0: none */
	u32 callback[MAX_CONSUMERS]; /* by slot: number + 1 of the consumer to call back; 0: not one of this tool */
	u32 callbacks, pad;	     /* the slots to call back, a bit each */
};
