/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does this file hold? */
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
