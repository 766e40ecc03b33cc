/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The consumers of user stacks, as all tools on the machine see them.
 *
 * A consumer is a slot of the registry, and has that bit of every task's deferral word. Tools know it by a handle: the
 * slot and its generation, so that a handle that outlived its consumer is good for nothing.
 */
#pragma once
#include "abi/types.h"

#define MAX_CONSUMERS 16

/* How a consumer is served; <dusk/unwind.h> has the same numbers. */
enum {
	DELIVER_RING = 1,      /* a stack event to its ring buffer */
	DELIVER_SUMS = 2,      /* its charges are entered in its map, under the stack */
	DELIVER_CALLBACK = 4,  /* dusk_unwind_done() is called in its program */
	DELIVER_AT_ONCE = 8,   /* the ring's reader is woken for each stack; else it looks by itself */
	DELIVER_MODULES = 16,  /* module events to its ring */
	DELIVER_OVERFLOW = 32, /* to its ring, too: what its ledger has no room for, */
	DELIVER_INLINE = 64,   /* and stacks that have no id, with what is charged to them */
	DELIVER_LAST = 128,    /* also tasks that exit or are in execve(), and were not asked before that */
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
 * A row of a consumer's map of charges.
 *
 * With cookie 0 it is final: so much under this key and this user stack. A row with a cookie is for user space to join,
 * when a task had more keys at once than it can hold: SUM_DUE rows wait, and the SUM_RESOLVED row of the same
 * cookie tells their stack.
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
	u64 amount, part, count; /* @part: of the amount, what the consumer tells apart */
};

/* What a tool's own programs know of its consumers. */
struct consumers_here {
	u32 handle[MAX_CONSUMERS];   /* by the number that programs use; 0: none */
	u32 callback[MAX_CONSUMERS]; /* by slot: number + 1 of the consumer to call back; 0: none of ours */
	u32 callbacks, pad;	     /* the slots of those, a bit each */
};
