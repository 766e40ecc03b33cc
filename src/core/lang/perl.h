/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of Perl 5.36, 5.40 and 5.42, as they are built with threads, as distributions do. All three have the same structures.
 *
 * A thread has an interpreter of its own, which it keeps under a key of pthread_getspecific(). This has stacks of contexts: blocks, loops, subs
 * and evals. Where C runs Perl it mostly begins a new stack. A run of the loop has the contexts up to that of a sub without an operation to return
 * to; and the block of a sort is run on a stack of its own, without a sub. Subs that are written in C have no contexts.
 */
#pragma once
#include "core/walk/walk.h"

/*
 * Each is a step. Returns 0; -ESRCH: the thread has no frames of Perl; -ENOSYS: a version that is not known; -E2BIG: too many frames;
 * -EFAULT or -EACCES: a read has failed, and struct page_wait says whether it has to be waited for.
 */
GLOBAL int perl_learn(struct walk *w NONNULL);
GLOBAL int perl_thread(struct walk *w NONNULL);
GLOBAL int perl_frame(struct walk *w NONNULL);
GLOBAL int perl_code(struct walk *w NONNULL);

/* Its parts that are verified once; perl.c says what they do. */
GLOBAL int perl_enter_stack(struct lang *l NONNULL);
GLOBAL int perl_put_frame(struct lang *l NONNULL);
GLOBAL int perl_find_line(struct lang *l NONNULL);
GLOBAL int perl_find_name(struct lang *l NONNULL);
GLOBAL int perl_mix_names(struct lang *l NONNULL);
GLOBAL int perl_read_piece(struct lang *l NONNULL, u32 piece);
GLOBAL int perl_read_text(struct lang *l NONNULL, u64 text, u32 to);
