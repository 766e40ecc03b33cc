/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walk the stacks of threads that are off their CPU, without stopping them: load and read
 * src/bpf/remote/remote_walk.bpf.c.
 *
 * It works on the maps of a service: modules and rows known there are used, and frames mean the same in both.
 */
#pragma once
#include <dusk/unwind.h>
#include "lib/unwinder/service.h"

struct remote;

/* Load the programs. *@ret is to be freed with remote_close(), before @s. Returns 0, -EOPNOTSUPP or -EPERM. */
int remote_open(struct remote **ret, struct service *s, struct dusk_error *err);
void remote_close(struct remote *r);

/* As dusk_unwind_threads(). */
int remote_walk(struct remote *r, const struct dusk_threads_options *o,
		int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err);
