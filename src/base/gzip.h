/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write a gzip stream. */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct gzip;

/*
 * Begin a gzip stream that is written to @out; end it with gzip_free(). Write errors show in ferror(@out), which the
 * owner of @out checks.
 * Returns 0 or -ENOMEM.
 */
int gzip_new(struct gzip **ret, FILE *out);
void gzip_write(struct gzip *g, const void *data, size_t len);

/* Write the rest of the stream and free @g. */
void gzip_free(struct gzip *g);

/* Write a stream of @data to @out. Returns as gzip_new(). */
int gzip_all(FILE *out, const void *data, size_t len);

static inline void gzip_freep(struct gzip **g)
{
	gzip_free(*g);
}
