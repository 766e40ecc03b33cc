/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does this file hold, or is to hold? */
#pragma once
#include <stddef.h>

/*
 * Read all of @path (also of /proc, where sizes are not known). *@ret ends with a 0 byte that *@len_bytes does not
 * count, and is to be freed with free(). -EFBIG: more than @max_bytes; -EINVAL: not a regular file; else from open()
 * and read().
 */
int file_read(char **ret, size_t *len_bytes, const char *path, size_t max_bytes);

/* The same of an open file, from where it stands. */
int file_read_fd(char **ret, size_t *len_bytes, int fd, size_t max_bytes);

/* Write all of @data. 0, or a negative errno from write(), some of it being written then; signals do not stop it. */
int file_write_fd(int fd, const void *data, size_t len_bytes);
