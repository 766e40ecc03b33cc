/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does the walk get from each frame to the next? The core's walk, looked at after each frame. */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"
#include "core/walk/walk.h"

struct trace_frame {
	u64 pc, sp;
	u64 cfa;	  /* 0: it did not come so far */
	u64 word;	  /* abi/frame.h */
	bool pc_is_exact; /* pc is where it was interrupted, not a return address */
	enum dusk_method method;
	struct row row; /* unless by frame pointer */
};

struct trace {
	struct walk *walk;
	struct vec(struct trace_frame) frames;
};

/* 0 or -ENOMEM. To be ended with trace_done(), also after a failure. */
int trace_init(struct trace *t);
void trace_done(struct trace *t);

/* Registers as core/regs.h numbers them, RAX to CS. */
#define TRACE_REGS (CS + 1)

/*
 * Walk the stack of @regs in the target in use (target.h), at most @max_depth frames; what is known of mappings is
 * forgotten before. t->walk->outcome says how it ended. 0 or -ENOMEM.
 */
int trace_walk(struct trace *t, const u64 *regs, u32 max_depth);

/* The rules of @row as readelf -wF writes them, "cfa=rsp+16 rbx=c-16 ra=c-8", to @ret of @room bytes; @compat: of a
 * 32-bit task. */
void trace_rules(const struct row *row, bool compat, char *ret, size_t room);
