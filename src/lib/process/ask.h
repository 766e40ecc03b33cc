/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read, or open a file, in a child process, where another process can block that. The child is killed if it takes too long.
 *
 * Reading /proc/PID/maps, map_files or mem waits for the lock of that process's mappings, and only SIGKILL ends the
 * wait (mmap_read_lock_killable(), fs/proc/base.c and fs/proc/task_mmu.c, 6.18). The process can hold the lock as long
 * as it likes: in mmap() of a file on a file system of its own. Opening a file of a file system in user space (FUSE), or
 * of a network, waits until its server answers.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/budget.h"

#define ASK_MS 500 /* for one call */
#define ASK_WASTED_MS \
	3000 /* on calls that timed out, of one ask_child or all others of a thread: then later ones fail at once */
#define ASK_REFILL_S 60 /* until all of that may be wasted again */

/*
 * Call @fn(@ctx, @ret, @size) in a child process. @fn fills the first bytes of @ret and returns how many, or a negative
 * errno.
 * Returns the same, -ETIMEDOUT, -EBUSY (calls of the last minute wasted too much time), -ECHILD (the child died), or an error of
 * pipe2(2) or fork(2).
 */
ssize_t ask_in_child(ssize_t (*fn)(void *ctx, char *ret, size_t size), void *ctx, char *ret, size_t size);

/*
 * Call @fn(@ctx) in a child process. @fn returns a descriptor or a negative errno.
 * Returns the same, as a descriptor of this process, or an error as ask_in_child() does.
 */
int ask_for_file(int (*fn)(void *ctx), void *ctx);

/*
 * A child that answers one question after the other: a fork for each costs milliseconds in a process with large mappings.
 * All-zero: it does not run yet.
 */
struct ask_child {
	pid_t pid;
	int channel; /* without a child a negative errno, which says why */
	struct budget wasted_ns;
	uint64_t
		used_ns; /* CPU time of the child as of its last answer, until it ends: then it counts as cpu_used_ns() does */
};

/* Begin the child now, while this process is small: it has our memory as it is now. */
void ask_begin(struct ask_child *c);

/*
 * As ask_in_child(), in a child that lives until ask_end(), or until it is killed as it takes too long, or dies: the next
 * call begins another one. @fn gets a copy of @question, @bytes bytes long, without pointers: the child has our memory as it
 * was when it began, and none of our descriptors.
 */
ssize_t ask_again(struct ask_child *c, ssize_t (*fn)(const void *question, char *ret, size_t size),
		  const void *question, size_t bytes, char *ret, size_t size);
void ask_end(struct ask_child *c);
