/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the JITs of processes write of their functions: jitdumps and perf maps.
 *
 * A process has what it writes itself, both files if there are two, and what its parent had written up to the fork(), as it
 * has the code of that. Files are opened as soon as code without a file is seen, since the process may be gone when names
 * are looked up, and each is read once, for all addresses that were asked for.
 */
#pragma once
#include <stdint.h>
#include <sys/types.h>
#include "lib/process/code_lives.h"

struct jits;

/*
 * @end_fd: descriptors from this number on stay free: files beyond are not kept open. To be called before anything else takes memory, as a
 * child begins that asks. Returns NULL when memory is short.
 */
struct jits *jits_new(size_t end_fd);
void jits_free(struct jits *j);

/*
 * Open what @pid and its parents write, unless it is open. Called again it looks again, but ever more rarely: files may come
 * after the code.
 */
void jits_look(struct jits *j, pid_t pid);

/* Until this is called again, look so often at most; what is left out is counted. Without it there is no limit. */
void jits_allow(struct jits *j, uint64_t looks);

/* How many looks were left out. A process that lives is looked at later. */
uint64_t jits_left_out(const struct jits *j);

/* CPU time of the child that asks, cpu_used_ns() does not have it. */
uint64_t jits_used_ns(const struct jits *j);

/*
 * Note how long perf maps are by now: their lines have no times. To be called often: it looks ten times a second. @last: look once more for
 * all that is not there, as nothing will be opened later.
 */
void jits_follow(struct jits *j, bool last);

/* Names of @address of @pid will be asked for. For all addresses, before the first jits_loads(). Returns 0 or -ENOMEM. */
int jits_want(struct jits *j, pid_t pid, uint64_t address);

/*
 * Set @ret to the functions that were loaded at @address of @pid. Names are valid as long as @j.
 * Returns 0, -EFBIG (a file is too large to be read: nothing is known), or -ENOMEM.
 */
int jits_loads(struct jits *j, pid_t pid, uint64_t address, struct code_loads *ret);
