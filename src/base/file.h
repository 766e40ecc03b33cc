/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read and write whole files. */
#pragma once
#include <stddef.h>

/*
 * Read all of @path into a new buffer *@ret, to be freed with free(); also for /proc, where sizes are not known. A 0
 * byte that *@len_bytes does not count follows the content.
 * Returns 0, -EFBIG (more than @max_bytes), -EINVAL (not a regular file), or a negative errno from open() or read().
 */
int file_read(char **ret, size_t *len_bytes, const char *path, size_t max_bytes);

/* Like file_read(), for an open file, from its current offset. */
int file_read_fd(char **ret, size_t *len_bytes, int fd, size_t max_bytes);

/*
 * Write all of @data; a signal does not interrupt it.
 * Returns 0 or a negative errno from write(), in which case part of @data may be written.
 */
int file_write_fd(int fd, const void *data, size_t len_bytes);
