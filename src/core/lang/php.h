/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of PHP 8.2 and 8.4, as they are built without threads (NTS).
 *
 * A process has one stack of calls, executor_globals.current_execute_data, which its only thread that runs PHP works on. A run of the loop,
 * execute_ex(), has the frames up to one with the flag ZEND_CALL_TOP. Functions that are written in C have frames, too: these are left
 * out, as the native stack has them. The version is that of the interface that the modules were compiled for.
 */
#pragma once
#include "core/walk/walk.h"

/*
 * Each is a step. Returns 0; -ESRCH: the thread has no frames of PHP; -ENOSYS: a version that is not known; -E2BIG: too many frames;
 * -EFAULT or -EACCES: a read has failed, and struct page_wait says whether it has to be waited for.
 */
GLOBAL int php_learn(struct walk *w NONNULL);
GLOBAL int php_thread(struct walk *w NONNULL);
GLOBAL int php_frame(struct walk *w NONNULL);
GLOBAL int php_code(struct walk *w NONNULL);

/* Its parts that are verified once; php.c says what they do. */
GLOBAL int php_number(struct lang *l NONNULL);
GLOBAL int php_mix_text(struct lang *l NONNULL, u64 text);
GLOBAL int php_read_text(struct lang *l NONNULL, u64 text, u32 to, u32 room);
