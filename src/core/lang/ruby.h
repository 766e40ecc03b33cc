/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of Ruby 3.1 and 3.3.
 *
 * Each thread that runs Ruby has a pointer to its execution context in thread-local storage. It has a stack of control frames, of functions that are
 * written in C, too: these are left out, as the native stack has them. A run of the loop, vm_exec(), has the frames up to one with the flag FINISH. No
 * symbol says where that function is. But each call of it keeps a tag on the native stack to come back to, as some other functions do. All tags of
 * one function lead to the same place in it, and of that place there are as many as runs.
 */
#pragma once
#include "core/walk/walk.h"

/*
 * Each is a step. Returns 0; -ESRCH: the thread has no frames of Ruby; -ENOSYS: a version that is not known; -E2BIG: too many frames;
 * -EFAULT or -EACCES: a read has failed, and struct page_wait says whether it has to be waited for.
 */
GLOBAL int ruby_learn(struct walk *w NONNULL);
GLOBAL int ruby_thread(struct walk *w NONNULL);
GLOBAL int ruby_frame(struct walk *w NONNULL);
GLOBAL int ruby_code(struct walk *w NONNULL);

/* Its parts that are verified once; ruby.c says what they do. */
GLOBAL int ruby_try_context(struct lang *l NONNULL);
GLOBAL int ruby_number(struct lang *l NONNULL);
GLOBAL int ruby_mix_text(struct lang *l NONNULL, u64 text);
GLOBAL int ruby_find_line(struct lang *l NONNULL);
GLOBAL int ruby_find_entry(struct lang *l NONNULL, u32 position);
GLOBAL int ruby_learn_loop(struct lang *l NONNULL);
GLOBAL int ruby_count_tags(struct lang *l NONNULL);
GLOBAL int ruby_place_runs(struct walk *w NONNULL);
GLOBAL int ruby_read_text(struct lang *l NONNULL, u64 text, u32 to, u32 room);
