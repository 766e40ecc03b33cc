/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Run the core's walk step by step, and record how each frame was left. */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"
#include "core/walk/walk.h"

struct trace_frame {
	u64 pc, sp;
	u64 cfa;	  /* 0: not computed */
	u64 word;	  /* abi/frame.h */
	bool pc_is_exact; /* pc is where the code was interrupted, not a return address */
	enum dusk_method method;
	struct row row; /* unless left by frame pointer */
	u32 rule;	/* the enum rule_id of core/code/rules.h that was applied; 0: none */
};

struct trace {
	struct walk *walk;
	struct vec(struct trace_frame) frames;
};

/* Returns 0 or -ENOMEM. End it with trace_done(), also after a failure. */
int trace_init(struct trace *t);
void trace_done(struct trace *t);

/* Registers in the order of core/arch/regs.h. */
#define TRACE_REGS INPUT_REGS

/*
 * Walk the stack of @regs in the current target (target.h), at most @max_depth frames; cached mappings are dropped
 * before. t->walk->outcome is how it ended.
 * Returns 0 or -ENOMEM.
 */
int trace_walk(struct trace *t, const u64 *regs, u32 max_depth);

/* Return the name of a rule of core/arch/rules.txt by its enum rule_id; NULL for 0. */
const char *trace_rule_name(u32 rule);

/*
 * Write the rules of @row as readelf -wF does, "cfa=rsp+16 rbx=c-16 ra=c-8", to @ret of @room bytes. @compat: the row
 * is of a 32-bit task.
 */
void trace_rules(const struct row *row, bool compat, char *ret, size_t room);
