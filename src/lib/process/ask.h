/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What another process can hold back is asked by a child, which is killed if it takes too long.
 *
 * Whoever reads /proc/PID/maps, map_files or mem waits for the lock of that process's mappings, and only SIGKILL ends
 * the wait (mmap_read_lock_killable(), fs/proc/base.c and fs/proc/task_mmu.c, 6.18). The process can keep the lock for
 * as long as it likes: in mmap() of a file on a file system of its own.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define ASK_MS 500	   /* for one answer */
#define ASK_WASTED_MS 3000 /* in all, on those that did not come: then nothing is asked any more */

/*
 * @fn(@ctx, @ret, @size) in a child: it fills the first bytes of @ret, and returns how many, or a negative errno. So do
 * we; and -ETIMEDOUT, -EBUSY: too much time was wasted on others; -ECHILD: it died; others from pipe2(2) and fork(2).
 */
ssize_t ask_in_child(ssize_t (*fn)(void *ctx, char *ret, size_t size), void *ctx, char *ret, size_t size);
