/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read in a child process what another process can block. The child is killed if it takes too long.
 *
 * Reading /proc/PID/maps, map_files or mem waits for the lock of that process's mappings, and only SIGKILL ends the
 * wait (mmap_read_lock_killable(), fs/proc/base.c and fs/proc/task_mmu.c, 6.18). The process can hold the lock as long
 * as it likes: in mmap() of a file on a file system of its own.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define ASK_MS 500	   /* for one call */
#define ASK_WASTED_MS 3000 /* on calls that timed out, in total: then later ones fail at once */

/*
 * Call @fn(@ctx, @ret, @size) in a child process. @fn fills the first bytes of @ret and returns how many, or a negative
 * errno.
 * Returns the same, -ETIMEDOUT, -EBUSY (earlier calls wasted too much time), -ECHILD (the child died), or an error of
 * pipe2(2) or fork(2).
 */
ssize_t ask_in_child(ssize_t (*fn)(void *ctx, char *ret, size_t size), void *ctx, char *ret, size_t size);
