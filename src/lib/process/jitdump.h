/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the functions that a JIT had at an address, and when, in the file jit-PID.dump of its runtime: node
 * --perf-prof, java with libperf-jvmti.so, LLVM's JITs.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "lib/process/code_lives.h"

struct jitdump;

/*
 * Open the dump of process @pid, which must be running. A runtime maps the first page of its dump executable, so that
 * profilers can find the file. That file is opened in the process's root, if it belongs to root or to the process's
 * owner.
 * Returns a file descriptor, -ENOENT (there is none), -ESRCH, or -EPERM (it belongs to another user).
 */
int jitdump_open(pid_t pid);

/* Has @pid, which is @inner in its own namespace, mapped a dump? The process may let this wait: for a child that asks (ask.h). */
bool jitdump_is_mapped(pid_t pid, pid_t inner);

/*
 * Read the dump in @fd from its beginning to its end or to the first invalid record, as it may still be written. Only
 * functions that were at @addresses are kept. Free *@ret with jitdump_free().
 * Returns 0, -EINVAL (not a dump, or not for this machine), -EFBIG (over 1 GiB, four million records, or 256 Ki
 * functions or 32 MiB of names for these addresses), or -ENOMEM.
 */
int jitdump_read(struct jitdump **ret, int fd, const uint64_t *addresses, size_t nr);

/* Like jitdump_read(), from a seekable stream. */
int jitdump_parse(struct jitdump **ret, FILE *in, const uint64_t *addresses, size_t nr);

/*
 * Add to @ret the functions that were loaded at @address, one of those given to jitdump_read(), or moved there. If the dump
 * has no times of CLOCK_MONOTONIC, they are loaded at any time. Names are valid as long as @j.
 * Returns 0 or -ENOMEM.
 */
int jitdump_loads(const struct jitdump *j, uint64_t address, struct code_loads *ret);
void jitdump_free(struct jitdump *j);
