/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of threads that are off their CPU, without stopping them: src/bpf/remote/remote_walk.bpf.c, loaded and
 * read.
 *
 * It works on the maps of a service: what that knows of modules and rows is warm, and frames mean the same in both.
 */
#pragma once
#include <dusk/unwind.h>
#include "lib/shared/service.h"

struct remote;

/* Load it. *@ret is to be freed with remote_close(), before @s. -EOPNOTSUPP, -EPERM. */
int remote_open(struct remote **ret, struct service *s, struct dusk_error *err);
void remote_close(struct remote *r);

/* As dusk_unwind_threads(). */
int remote_walk(struct remote *r, const struct dusk_threads_options *o,
		int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err);
