/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tool: its own programs, linked with the unwinder, on the maps of the service; and its consumers. */
#pragma once
#include <dusk/unwind.h>
#include "lib/shared/service.h"

struct tool;

/*
 * Open the image for this kernel. Nothing is loaded, and the caller may still set what is its own in tool_object().
 * *@ret is to be freed with tool_free(), before @s. -EOPNOTSUPP: the kernel lacks something (what: @err).
 */
int tool_open(struct tool **ret, struct service *s, const struct dusk_image *plain, const struct dusk_image *impl,
	      struct dusk_error *err);
int tool_load(struct tool *t, struct dusk_error *err);
void tool_free(struct tool *t);

/* Attach the programs whose SEC() says where, all or none; and detach them, as tool_free() does, too. */
int tool_attach(struct tool *t, struct dusk_error *err);
void tool_detach(struct tool *t);

struct bpf_object *tool_object(const struct tool *t);

/* What was counted here, and by the service since the tool was loaded. */
u64 tool_counter(const struct tool *t, enum counter which);

/*
 * Register a consumer under @number, by which the tool's programs call it: @flags as in abi/consumer.h; @ring and
 * @aggregation: the maps that serve it, -1 where there is none. -EBUSY: the number is taken; -EUSERS: all places are.
 */
int tool_add_consumer(struct tool *t, u32 number, u32 flags, int ring, int aggregation, struct dusk_error *err);

/*
 * Remove it. When this returns 0, no program serves it or will, and no task's state holds anything of it. -EBUSY:
 * another tool does not give the lock back. Then it is not served either, and what tasks still hold of it goes with its
 * slot, to be cleared by whoever needs one next. -ETIMEDOUT: the same, and a program that serves it does not come to
 * its end.
 */
int tool_remove_consumer(struct tool *t, u32 number);

/* A map for a consumer's sums, with room for @rows: its descriptor, or a negative errno. */
int tool_make_aggregation(u32 rows);

/*
 * Let @aggregation serve it from here on. When this returns 0, nobody uses the map that it replaces. -ENOENT: there is
 * no such consumer; -ETIMEDOUT: somebody may still use it, to be tried again.
 */
int tool_set_aggregation(struct tool *t, u32 number, int aggregation);

/* The consumer as all tools see it; NULL: there is none. */
const struct consumer *tool_consumer(const struct tool *t, u32 number);

/* The cookies that it still waits for: @fn for each. */
void tool_due(const struct tool *t, u32 number, void (*fn)(void *ctx, u64 cookie), void *ctx);
