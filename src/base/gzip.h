/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How is a stream written in the format of gzip? */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct gzip;

/* *@ret writes to @out, whose errors are its owner's to ask for; to be ended with gzip_free(). 0 or -ENOMEM. */
int gzip_new(struct gzip **ret, FILE *out);
void gzip_write(struct gzip *g, const void *data, size_t len);

/* Write what is left, too. */
void gzip_free(struct gzip *g);

static inline void gzip_freep(struct gzip **g)
{
	gzip_free(*g);
}
