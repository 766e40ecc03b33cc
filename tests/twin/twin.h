/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one variable of both builds: what is asked of the core, what it may see, and what it answers.
 *
 * The test fills it in, lets the kernel's twin run on one copy and the host's on another, and compares the copies
 * byte for byte: working space too, so that a difference is seen where it begins.
 */
#pragma once
#include "core/tables/expr.h"
#include "core/shared/defer.h"
#include "core/shared/kernel_stack_cache.h"
#include "core/walk/stack_cache.h"
#include "core/shared/stacktable.h"
#include "core/walk/nofault.h"

#define TWIN_MAPPINGS 2
#define TWIN_MEMORY (1 << 14)
#define TWIN_DEFERS 16

struct twin {
	/* the target, and which read of it fails */
	struct twin_mapping {
		struct vma vma;
		u32 at, pad; /* its bytes in @memory */
	} mapping[TWIN_MAPPINGS];
	u32 nr_mappings, reads, fail_nth, known;
	struct module_key key; /* of @module, if @known */
	struct module module;
	u8 memory[TWIN_MEMORY];

	u32 outcome, id, cpu;
	int refused; /* what the last read said */
	struct range range;
	struct ehframe ehframe;
	struct cfi cfi;
	struct sframe sframe;
	struct walk walk; /* its machine and its modules also serve alone */
	struct stack_cache_key stack_cache_key;
	u64 reg[NR_REGS]; /* where the walk began */
	struct stack_snapshot now;
	struct stack stack;
	struct kernel_key kernel_key;
	struct kernel_copy copy;

	struct defer defer;
	struct twin_defer {
		u32 who, verdict; /* @who DEFER_CONSUMERS: the walk takes, @verdict the consumers */
		u64 fresh, cookie;
	} step[TWIN_DEFERS];
};

extern struct twin twin;

/* A struct stacktable: a small one, whose size the verifier has to know. */
#define TWIN_BITS 10
#define TWIN_TABLE_WORDS ((sizeof(struct stacktable) + STACK_SPARE_BYTES) / sizeof(u64) + (64 << TWIN_BITS))
extern u64 twin_table[TWIN_TABLE_WORDS];

/* One run of each part of the core. */
static INLINE void run_cfi(struct twin *t)
{
	t->outcome = cfi_run(&t->cfi);
}

static INLINE void run_expr(struct twin *t)
{
	t->outcome = expr_row(&t->walk.machine);
}

static INLINE void run_ehframe(struct twin *t)
{
	t->ehframe.module = t->range.module;
	t->outcome = ehframe_find(&t->ehframe, &t->range);
	ehframe_keep(&t->ehframe);
}

static INLINE void run_sframe(struct twin *t)
{
	t->outcome = sframe_find(&t->sframe, &t->range);
	if (t->outcome)
		return;
	t->walk.machine.row = t->sframe.row;
	t->outcome = sframe_rules(&t->walk.machine);
}

static INLINE void run_module(struct twin *t)
{
	t->outcome = -module_enter(&t->walk.modules, t->walk.machine.pc);
}

static INLINE void run_walk(struct twin *t)
{
	walk_start(&t->walk);
	walk_stack(&t->walk);
}

static INLINE void run_warm(struct twin *t)
{
	t->outcome = -walk_nofault(&t->walk);
}

static INLINE void run_remember(struct twin *t)
{
	stack_cache_put(&t->stack_cache_key, t->reg, &t->walk.trace, t->id);
}

static INLINE void run_recall(struct twin *t)
{
	t->id = stack_cache_find(&t->stack_cache_key, t->reg, &t->now);
}

static INLINE void run_kernel(struct twin *t)
{
	u32 id = t->id;

	t->id = kernel_stack_cache_find(&t->kernel_key, &t->copy);
	if (!t->id)
		kernel_stack_cache_put(&t->kernel_key, &t->stack, &t->copy, id);
}

static INLINE void run_stacks(struct twin *t)
{
	u32 id = 0;

	t->outcome = -stacktable_put((struct stacktable *)twin_table, &t->stack, t->cpu, &id);
	t->id = id;
}

static INLINE void run_defer(struct twin *t)
{
	for (u32 i = 0; i < TWIN_DEFERS; i++) {
		struct twin_defer *s = &t->step[i];
		u64 cookie = 0;

		if (s->who < DEFER_CONSUMERS)
			s->verdict = defer_request(&t->defer, s->who, s->fresh, &cookie);
		else
			s->verdict = defer_take(&t->defer, &cookie);
		s->cookie = cookie;
	}
}

#define TWIN_RUNS(X) \
	X(cfi) X(expr) X(ehframe) X(sframe) X(module) X(walk) X(warm) X(remember) X(recall) X(kernel) X(stacks) X(defer)
