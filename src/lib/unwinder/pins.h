/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which tools share the unwinder, and where they find it.
 *
 * A folder on bpffs holds the pinned maps. Each tool that uses them has a folder of its own below it, which it keeps
 * locked while it lives. Locks end with their process, so the next tool sees which tools are alive, in whatever PID
 * namespace, and removes what dead ones have left. The first tool makes the folder, the last one removes it.
 */
#pragma once
#include <dusk/dusk.h>
#include "abi/types.h"

#define PINS_FOLDER "/sys/fs/bpf/dusk"
#define MAX_TOOLS 64

/*
 * How long to wait for the lock, in milliseconds. It is held for milliseconds, or while the first tool loads its
 * programs; longer only by a process that is stopped or hangs.
 */
#define PINS_ENTER_MS 10000
#define PINS_LEAVE_MS 2000

struct pins;

/*
 * Enter folder @base/@version, made if need be with mode 0700, and lock it. *@ret is to be ended with pins_leave(). If
 * we are the only tool, the folder is empty now. Returns 0; -ENODEV: there is no bpffs, and none could be mounted;
 * -EPERM, -EACCES: we may not enter or make the folder; -EUSERS: MAX_TOOLS tools are there; -EBUSY: a process does not
 * release the lock (@err says which); -EINTR: *@stops, if @stops is not NULL, differs from @before.
 */
int pins_enter(struct pins **ret, const char *base, const char *version, const volatile int *stops, int before,
	       struct dusk_error *err);

/*
 * Lock the folder: no tool enters or leaves while we hold the lock. Returns 0, or -EBUSY: another process still has it
 * after @wait_ms milliseconds, or after much less if an earlier wait was in vain; pins_whose() says which. 0 ms: try
 * once.
 */
int pins_lock(struct pins *p, unsigned int wait_ms);
void pins_unlock(struct pins *p);
int pins_whose(const struct pins *p, struct dusk_error *err);

/* Return our number, 1 to MAX_TOOLS; no other tool in this folder has it while we live. */
u32 pins_tool(const struct pins *p);

/* Were we alone when we entered? */
bool pins_is_first(const struct pins *p);

/* Is tool number @tool alive? Call it with the lock held. */
bool pins_is_alive(const struct pins *p, u32 tool);

/* Pin a map under @name, or open a pinned one. pins_get() returns a file descriptor or a negative errno. */
int pins_put(const struct pins *p, const char *name, int fd);
int pins_get(const struct pins *p, const char *name);

/* Leave, with the lock or after PINS_LEAVE_MS; remove everything if we are the last tool. */
void pins_leave(struct pins *p);

/* Remove a pin. Its map lives on while others hold it. */
void pins_drop(const struct pins *p, const char *name);

/*
 * Look into folder @base/@version without being a tool: we are not counted, and block no tool. *@ret is to be ended
 * with pins_leave(). -ENOENT: there is no such folder.
 */
int pins_visit(struct pins **ret, const char *base, const char *version);
