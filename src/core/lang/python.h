/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frames of CPython, 3.8 to 3.14.
 *
 * Up to 3.10 each frame has its own run of the loop, _PyEval_EvalFrameDefault(), which is known by its symbol. Later one run has
 * many frames, and leaves something on the native stack that the thread's state leads to: in 3.11 a struct _PyCFrame, from 3.12 on a
 * frame of its own, behind those that run in it. From 3.13 on the runtime describes its own structures (struct _Py_DebugOffsets);
 * before, these are the same in all releases of a minor version.
 */
#pragma once
#include "core/walk/walk.h"

/*
 * Each is a step. Returns 0; -ESRCH: the thread has no frames of Python; -ENOSYS: a version that is not known; -E2BIG: too many frames;
 * -EFAULT or -EACCES: a read has failed, and struct page_wait says whether it has to be waited for.
 */
GLOBAL int python_learn(struct walk *w NONNULL);
GLOBAL int python_thread(struct walk *w NONNULL);
GLOBAL int python_frame(struct walk *w NONNULL);
GLOBAL int python_code(struct walk *w NONNULL);

/* Parts that are verified once; python.c says what they do. */
GLOBAL bool python_is_readable(struct lang *l NONNULL);
GLOBAL int python_number(struct lang *l NONNULL);
