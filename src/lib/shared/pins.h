/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which tools share the unwinder, and where do they find it?
 *
 * A folder on bpffs: the maps are pinned in it, and each tool that uses them has a folder of its own below, which it
 * keeps locked while it lives. Locks end with their process, so whoever comes next sees who is alive, in whatever PID
 * namespace that is, and clears away what the dead have left. The first one makes the folder, the last one removes it.
 */
#pragma once
#include <dusk/dusk.h>
#include "abi/types.h"

#define PINS_FOLDER "/sys/fs/bpf/dusk"
#define MAX_TOOLS 64

/*
 * How long the lock is waited for. It is held for milliseconds, or while the first tool loads its programs; longer only
 * by one that is stopped, or hangs.
 */
#define PINS_ENTER_MS 10000
#define PINS_LEAVE_MS 2000

struct pins;

/*
 * Enter folder @base/@version, made if need be with mode 0700, and lock it. *@ret is to be ended with pins_leave().
 * If we are the only one, it is empty now. -ENODEV: no bpffs there, and none could be mounted; -EPERM, -EACCES: not
 * ours to enter or to make; -EUSERS: MAX_TOOLS are there; -EBUSY: somebody does not give the lock back (who: @err);
 * -EINTR: *@stops, if that is not NULL, is not @before any more.
 */
int pins_enter(struct pins **ret, const char *base, const char *version, const volatile int *stops, int before,
	       struct dusk_error *err);

/*
 * Nobody enters or leaves while we hold the lock. -EBUSY: after @wait_ms, or much less if we have waited in vain
 * before, somebody else has it: pins_whose() says who. 0 ms: try.
 */
int pins_lock(struct pins *p, unsigned int wait_ms);
void pins_unlock(struct pins *p);
int pins_whose(const struct pins *p, struct dusk_error *err);

/* Our number, 1 to MAX_TOOLS; no other tool in this folder has it while we live. */
u32 pins_tool(const struct pins *p);

/* Were we alone when we entered? */
bool pins_is_first(const struct pins *p);

/* Does tool number @tool live? Under the lock. */
bool pins_is_alive(const struct pins *p, u32 tool);

/* Pin a map, or find one: a file descriptor. */
int pins_put(const struct pins *p, const char *name, int fd);
int pins_get(const struct pins *p, const char *name);

/* Leave, with the lock or after PINS_LEAVE_MS; remove all if we are the last. */
void pins_leave(struct pins *p);

/* Remove a pin; what it held lives on while others hold it. */
void pins_drop(const struct pins *p, const char *name);

/*
 * Look into folder @base/@version without being a tool: not counted, in nobody's way. *@ret is to be ended with
 * pins_leave(). -ENOENT: there is none.
 */
int pins_visit(struct pins **ret, const char *base, const char *version);
