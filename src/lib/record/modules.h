/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Map the kernel side's module numbers to the profile's modules.
 *
 * Files that only the target can see (containers), and the maps and dumps of JIT code (jits.h), are opened when they are
 * first seen, and kept open (module_fds.h). A look-up opens nothing.
 */
#pragma once
#include "abi/event.h"
#include "lib/process/jits.h"
#include "lib/profile/write/write.h"

struct modules_known;

/* @jits: looks for files of processes; it is the caller's, and stays as long as the modules. NULL: no files are looked for. */
struct modules_known *modules_new(struct profile_writer *w, struct jits *jits);
void modules_free(struct modules_known *m);

/* From now on look in @named, a map of module events by module number, for a module whose event did not come. */
void modules_ask(struct modules_known *m, int named);

/* Take a module event. */
void modules_learn(struct modules_known *m, const struct event_module *e);

/*
 * Return the profile's module for module number @id (including FRAME_ANON and FRAME_KERNEL) in a frame of process @pid.
 */
uint32_t modules_index(struct modules_known *m, uint32_t id, pid_t pid);

/*
 * Open what JITs write about the code of @pid, unless it is open. To be called for each new stack with FRAME_ANON: the files
 * may come after the code.
 */
void modules_open_jit(struct modules_known *m, pid_t pid);

/* Until this is called again, open so many files of modules at most; what is left out is counted. Without it there is no limit. */
void modules_allow(struct modules_known *m, uint64_t files);

/* Files that were not opened. Their functions have names if the files are there when these are looked up. */
uint64_t modules_left_out(const struct modules_known *m);

/* Return a file descriptor for each of the profile's *@nr modules, or -1. @m owns them. */
const int *modules_fds(const struct modules_known *m, uint32_t *nr);
