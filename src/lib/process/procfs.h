/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does a process see its files, and itself? */
#pragma once
#include <stdint.h>
#include <sys/types.h>

/*
 * Open the regular file @path read-only: a file descriptor or a negative errno, -EINVAL if it is something else.
 * Nothing but a regular file is ever opened, as opening a device or a FIFO has effects; and none of those that the
 * kernel makes up, as in /proc or /sys.
 */
int procfs_open_file(const char *path);

/* The same of what @path_fd, which is open with O_PATH only and stays the caller's, names: that does nothing to it. */
int procfs_reopen(int path_fd);

/* The same with @path as process @pid sees it: links in it lead nowhere outside of its root. */
int procfs_open_in_root(pid_t pid, const char *path);

/*
 * The file that @pid has mapped from @start to @end, as we see it, to @ret of @size bytes. -ENOENT: there is no such
 * mapping, or none of a file; -ENAMETOOLONG; others from /proc and ask.h.
 */
int procfs_mapped_path(pid_t pid, uint64_t start, uint64_t end, char *ret, size_t size);

/* When @pid began, in nanoseconds since 1970, to within some ten milliseconds. -ESRCH: it is gone. */
int procfs_started(pid_t pid, int64_t *ret);

/*
 * A copy of what @pid has in memory from @start to @end, as a file; of at most PROCFS_COPY_BYTES, -EFBIG otherwise.
 * -EIO: it could not all be read; others from /proc and memfd_create(2).
 */
#define PROCFS_COPY_BYTES (1 << 20)
int procfs_copy_memory(pid_t pid, uint64_t start, uint64_t end);

/* The number of @pid in its own PID namespace, and its effective user. -ESRCH: it is gone. */
int procfs_identity(pid_t pid, pid_t *inner, uid_t *owner);
