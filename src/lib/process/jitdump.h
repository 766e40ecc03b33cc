/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which function did a JIT have at this address at that time? The runtime says so in a file jit-PID.dump: node
 * --perf-prof, java with libperf-jvmti.so, LLVM's JITs.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct jitdump;

/*
 * Open the dump of process @pid, which lives. A runtime maps the first page of its dump executable, for profilers to
 * know the file by: that one is taken, as the process sees it, if it belongs to root or to the owner of the process.
 * Returns the file descriptor; -ENOENT: there is none; -ESRCH; -EPERM: it belongs to somebody else.
 */
int jitdump_open(pid_t pid);

/*
 * Read the dump in @fd from its beginning to where it ends, or makes no sense any more: it is being written. What was
 * at @addresses is kept. *@ret is to be freed with jitdump_free(). -EINVAL: it is none, or not of this machine; -EFBIG:
 * it has over 1 GiB, four million records, or 256 Ki functions at these addresses; -ENOMEM.
 */
int jitdump_read(struct jitdump **ret, int fd, const uint64_t *addresses, size_t nr);

/* The same of a stream that can be sought. */
int jitdump_parse(struct jitdump **ret, FILE *in, const uint64_t *addresses, size_t nr);

/*
 * The name of the function that was at @address, one of those that were asked for, at @time_ns of CLOCK_MONOTONIC, or
 * NULL; *@start is where it began. Of functions that overlap the later one counts, and of those that came only after
 * @time_ns none.
 */
const char *jitdump_find(const struct jitdump *j, uint64_t address, uint64_t time_ns, uint64_t *start);
void jitdump_free(struct jitdump *j);
