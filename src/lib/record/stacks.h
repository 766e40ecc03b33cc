/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the kernel side's stacks to nodes of the profile. Each distinct stack is translated once. */
#pragma once
#include "abi/types.h"
#include "lib/shared/stackmap.h"
#include "lib/record/modules.h"

struct stacks;

/* @map: NULL if each stack comes whole. */
struct stacks *stacks_new(struct profile_writer *w, struct modules_known *m, struct stackmap *map);
void stacks_free(struct stacks *s);

/* The innermost node of user stack @id of the table, seen in process @pid. 0: there is no such stack. */
uint32_t stacks_user(struct stacks *s, u32 id, pid_t pid);

/* The same for a stack that did not fit in the table. */
uint32_t stacks_user_frames(struct stacks *s, const u64 *frame, u32 nr, pid_t pid);

/* A number for a kernel stack that did not fit in the table, to be used like an id. */
u32 stacks_keep_kernel(struct stacks *s, const u64 *frame, u32 nr);

/* How many distinct ones there were: user stacks, and kernel stacks on them. */
uint64_t stacks_nr(const struct stacks *s);

/* The node of kernel stack @id (0: none) on top of user node @user (0: none). */
uint32_t stacks_kernel_on(struct stacks *s, uint32_t user, u32 id);
