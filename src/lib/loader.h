/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel side as one thing: the object for this kernel, loaded, its maps and shared memory at hand. */
#pragma once
#include <dusk/dusk.h>
#include <bpf/libbpf.h>
#include "abi/config.h"
#include "abi/counter.h"
#include "core/stacktable.h"

struct kernel_side;

/*
 * Load the object with @config (nr_walkers is chosen here). *@ret is to be freed with kernel_side_free(). Nothing is
 * attached. -EOPNOTSUPP: the kernel lacks something; -EPERM: a capability is missing.
 */
int kernel_side_load(struct kernel_side **ret, const struct config *config, struct dusk_error *err);
void kernel_side_free(struct kernel_side *k);

struct bpf_program *kernel_side_program(const struct kernel_side *k, const char *name);
int kernel_side_map(const struct kernel_side *k, const char *name);	/* its file descriptor */

/* Shared with the kernel, which writes it at any time. */
const struct stacktable *kernel_side_stacks(const struct kernel_side *k);

/* The sum over all CPUs. */
u64 kernel_side_counter(const struct kernel_side *k, enum counter which);

/* Walks that were begun before @before_ns (CLOCK_MONOTONIC) and have not ended: up to @max tids to @ret. */
size_t kernel_side_stuck(const struct kernel_side *k, u64 before_ns, pid_t *ret, size_t max);

/* The cookies of tasks that have not come back to user mode: @fn for each. */
void kernel_side_due(const struct kernel_side *k, void (*fn)(void *ctx, u64 cookie), void *ctx);
