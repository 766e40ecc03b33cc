/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the kernel side's module numbers to the profile's modules.
 *
 * Files that only the target can see (containers), and the maps and dumps of JIT code, are opened when they are first
 * heard of, and kept open: the process may be gone when symbols are looked up.
 */
#pragma once
#include "abi/event.h"
#include "lib/profile/profile_write.h"

struct modules_known;

struct modules_known *modules_new(struct profile_writer *w);
void modules_free(struct modules_known *m);

/* The kernel side has met a module. */
void modules_learn(struct modules_known *m, const struct event_module *e);

/* The profile's module of module number @id in a frame of process @pid (FRAME_ANON and FRAME_KERNEL included). */
uint32_t modules_index(struct modules_known *m, uint32_t id, pid_t pid);

/* A file descriptor for each module of the profile, -1 where there is none: *@nr of them. They stay @m's. */
const int *modules_fds(const struct modules_known *m, uint32_t *nr);
