/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open files as a process sees them, and read facts about it from /proc. */
#pragma once
#include <stdint.h>
#include <sys/types.h>

/*
 * Open the regular file @path read-only. No other kind of file is opened, as opening a device or a FIFO has side
 * effects, and no file of a pseudo file system such as /proc or /sys. A file system that does not answer, of a network or
 * in user space (FUSE), is not waited for; of a file of FUSE, a copy in memory is opened, which has another inode.
 * Returns a file descriptor, -EINVAL (not such a file), an error of ask.h, or another negative errno.
 */
int procfs_open_file(const char *path);

/*
 * Return how many bytes copies of files have that are open in this process. Together they are limited to
 * PROCFS_COPIES_BYTES; a copy that is closed gives its bytes back.
 */
#define PROCFS_COPIES_BYTES (512ULL << 20)
#define PROCFS_COPY_NAME "copy" /* of its memfd */
uint64_t procfs_copies_bytes(void);

/*
 * Like procfs_open_file(), for the file that @path_fd refers to, which is an O_PATH descriptor and stays the caller's. It may wait: it is
 * for a child process, or for what is on a disk.
 */
int procfs_reopen(int path_fd);

/*
 * Like procfs_open_file(), with @path resolved in the root of process @pid; links in it do not lead out of that root.
 */
int procfs_open_in_root(pid_t pid, const char *path);

/*
 * Like procfs_open_file(), for the file that @pid has mapped from @start to @end, wherever it is: in another mount namespace, in
 * none, or removed. Needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE (proc_map_files_get_link(), linux 6.18 fs/proc/base.c).
 */
int procfs_open_mapped(pid_t pid, uint64_t start, uint64_t end);

/* The same for the program that @pid runs, for which /proc/PID/exe needs no more than the right to look at the process. */
int procfs_open_program(pid_t pid);

/*
 * Look up @path, in the folder @root as if that was the root, or AT_FDCWD: as it is. Returns an O_PATH descriptor or a negative
 * errno. It may wait.
 */
int procfs_look_up(int root, const char *path);

/*
 * Read the path of the file that @pid has mapped from @start to @end, as this process sees it, to @ret of @size bytes.
 * Returns 0, -ENOENT (no such mapping, or not of a file), -ENAMETOOLONG, or an error of /proc or ask.h.
 */
int procfs_mapped_path(pid_t pid, uint64_t start, uint64_t end, char *ret, size_t size);

/*
 * Set *@ret to the start time of @pid, in nanoseconds since 1970, accurate to about ten milliseconds.
 * Returns 0, or -ESRCH if it is gone.
 */
int procfs_started(pid_t pid, int64_t *ret);

/*
 * Copy the memory of @pid from @start to @end, at most PROCFS_COPY_BYTES, to an anonymous file.
 * Returns a file descriptor, -EFBIG, -EIO (not all of it could be read), or an error of /proc or memfd_create(2).
 */
#define PROCFS_COPY_BYTES (1 << 20)
int procfs_copy_memory(pid_t pid, uint64_t start, uint64_t end);

/* Read the number of @pid in its own PID namespace, and its effective user. Returns 0, or -ESRCH if it is gone. */
int procfs_identity(pid_t pid, pid_t *inner, uid_t *owner);

/* Where a process comes from. */
struct procfs_origin {
	pid_t parent;
	uint64_t started_ns; /* CLOCK_MONOTONIC, accurate to about ten milliseconds */
	uint64_t layout[5];  /* of its address space, which execve() chooses at random, and fork() keeps */
};

/* Set *@ret to that of @pid. Returns 0; -ESRCH if it is gone; -EPERM: its layout may not be seen. */
int procfs_origin(pid_t pid, struct procfs_origin *ret);
