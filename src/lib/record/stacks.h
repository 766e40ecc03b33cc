/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Translate the kernel side's stacks to nodes of the profile. Each distinct stack is translated once. */
#pragma once
#include "abi/types.h"
#include "lib/unwinder/stackmap.h"
#include "lib/record/modules.h"

struct stacks;

/* @map: NULL if all stacks come inline. */
struct stacks *stacks_new(struct profile_writer *w, struct modules_known *m, struct stackmap *map);

/* From now on look in @codes, the kernel side's map of code of interpreted languages by number; negative: there is none. */
void stacks_know_codes(struct stacks *s, int codes);
void stacks_free(struct stacks *s);

/* Return the innermost node of user stack @id of the stackmap, seen in process @pid. 0: there is no such stack. */
uint32_t stacks_user(struct stacks *s, u32 id, pid_t pid);

/* The same for an inline stack. */
uint32_t stacks_user_frames(struct stacks *s, const u64 *frame, u32 nr, pid_t pid);

/* Keep an inline kernel stack. Returns a number that is used like an id; 0: out of memory. */
u32 stacks_keep_kernel(struct stacks *s, const u64 *frame, u32 nr);

/* Return how many distinct ones there were: user stacks, and kernel stacks on them. */
uint64_t stacks_nr(const struct stacks *s);

/* Return the node of kernel stack @id (0: none) on top of user node @user (0: none). */
uint32_t stacks_kernel_on(struct stacks *s, uint32_t user, u32 id);
