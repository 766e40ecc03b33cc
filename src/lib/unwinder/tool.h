/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tool: its own programs, linked with the unwinder, on the maps of the service; and its consumers. */
#pragma once
#include <dusk/unwind.h>
#include "lib/unwinder/service.h"

struct tool;

/*
 * Open the image that fits this kernel. Nothing is loaded, and the caller may still set its own variables in
 * tool_object(). *@ret is to be freed with tool_free(), before @s. Returns 0; -EOPNOTSUPP: the kernel lacks something
 * (@err says what).
 */
int tool_open(struct tool **ret, struct service *s, const struct dusk_image *plain, const struct dusk_image *impl,
	      struct dusk_error *err);
int tool_load(struct tool *t, struct dusk_error *err);
void tool_free(struct tool *t);

/*
 * Attach the programs that name a target in SEC(), all or none; tool_detach() detaches them, and so does tool_free().
 */
int tool_attach(struct tool *t, struct dusk_error *err);
void tool_detach(struct tool *t);

struct bpf_object *tool_object(const struct tool *t);

/* Return what was counted in this tool, and by the service since the tool was loaded. */
u64 tool_counter(const struct tool *t, enum counter which);

/*
 * Register a consumer under @number, the number that the tool's programs use. @flags: as in abi/consumer.h. @ring and
 * @aggregation: its maps, or -1. Returns 0; -EBUSY: the number is taken; -EUSERS: all slots are.
 */
int tool_add_consumer(struct tool *t, u32 number, u32 flags, int ring, int aggregation, struct dusk_error *err);

/*
 * Remove the consumer. When this returns 0, no program delivers to it now or later, and no task's state holds anything
 * of it. -EBUSY: another tool does not release the lock. Then nothing is delivered to it any more either, but tasks may
 * still hold state of it, which is cleared when a tool next needs a slot. -ETIMEDOUT: the same, and a program that
 * delivers to it has not ended.
 */
int tool_remove_consumer(struct tool *t, u32 number);

/* Make a map for a consumer's sums, with room for @rows. Returns its descriptor or a negative errno. */
int tool_make_aggregation(u32 rows);

/*
 * Let the sums of the consumer go to @aggregation from here on. When this returns 0, no program uses the map that it
 * replaces. -ENOENT: there is no such consumer; -ETIMEDOUT: a program may still use the old map; try again.
 */
int tool_set_aggregation(struct tool *t, u32 number, int aggregation);

/* Return the consumer as all tools see it; NULL: there is none. */
const struct consumer *tool_consumer(const struct tool *t, u32 number);

/* Call @fn for each cookie that the consumer still waits for. */
void tool_due(const struct tool *t, u32 number, void (*fn)(void *ctx, u64 cookie), void *ctx);
