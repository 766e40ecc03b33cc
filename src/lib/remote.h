/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stacks of threads that are off their CPU, without stopping them: src/bpf/remote_walk.bpf.c, loaded and read.
 *
 * It works on the maps of a service: what that knows of modules and rows is warm, and frames mean the same in both.
 */
#pragma once
#include <dusk/unwind.h>
#include "service.h"

struct remote;

/* A task storage of the caller's, which gives what it has kept of a thread together with the stack. */
struct remote_kept {
	int fd;
	uint32_t bytes;			/* from the start of its values: a multiple of 8, at most KEPT_BYTES (abi/remote.h) */
};

/* One more than struct dusk_thread_stack says: passed to the functions of remote_walk(). */
struct remote_thread {
	struct dusk_thread_stack stack;	/* first, so that it is one */
	const void *kept;		/* @bytes of what was kept, as it was before the walk; NULL: nothing */
};

/*
 * Load it; @kept may be NULL. *@ret is to be freed with remote_close(), before @s. -EOPNOTSUPP, -EPERM; -EINVAL: @kept
 * is no task storage, or the size is out of range.
 */
int remote_open(struct remote **ret, struct service *s, const struct remote_kept *kept, struct dusk_error *err);
void remote_close(struct remote *r);

/* As dusk_unwind_threads(): what @fn gets is part of a struct remote_thread. */
int remote_walk(struct remote *r, const struct dusk_threads_options *o,
		int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err);
