/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write a gzip stream with zlib. */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "base/gzip.h"

struct gzip {
	FILE *out;
	z_stream z;
	unsigned char buffer[64 * 1024];
};

int gzip_new(struct gzip **ret, FILE *out)
{
	_cleanup_(freep) struct gzip *g = calloc(1, sizeof(*g));

	/* + 16: with the header and trailer of gzip instead of those of zlib. */
	if (!g || deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	g->out = out;
	*ret = steal(g);
	return 0;
}

static void compress_all(struct gzip *g, int flush)
{
	do {
		g->z.next_out = g->buffer;
		g->z.avail_out = sizeof(g->buffer);
		deflate(&g->z, flush);
		fwrite(g->buffer, 1, sizeof(g->buffer) - g->z.avail_out, g->out);
	} while (!g->z.avail_out);
}

void gzip_write(struct gzip *g, const void *data, size_t len)
{
	const unsigned char *from = data;

	while (len) {
		g->z.next_in = (unsigned char *)from;
		g->z.avail_in = len < 1 << 30 ? len : 1 << 30;
		from += g->z.avail_in;
		len -= g->z.avail_in;
		compress_all(g, Z_NO_FLUSH);
	}
}

void gzip_free(struct gzip *g)
{
	if (!g)
		return;
	g->z.next_in = NULL;
	g->z.avail_in = 0;
	compress_all(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
}

int gzip_all(FILE *out, const void *data, size_t len)
{
	struct gzip *g;
	int err = gzip_new(&g, out);

	if (err)
		return err;
	gzip_write(g, data, len);
	gzip_free(g);
	return 0;
}
