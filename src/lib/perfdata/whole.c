/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unpack a perf.data that was compressed as a whole, by gzip, xz or zstd, to a temporary file.
 *
 * What can be unpacked of a file that was cut short, or is damaged, is a perf.data that was cut short.
 */
#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "lib/perfdata/file.h"

#define PIECE_BYTES (1 << 17)
#define XZ_MEMORY (256ULL << 20) /* xz -9 needs 65 MiB */

struct packed {
	struct perfdata_file *f;
	uint64_t at;   /* in the file */
	uint64_t left; /* bytes that may be written still */
	uint8_t in[PIECE_BYTES], out[PIECE_BYTES];
};

/* Read the next piece to p->in. Returns how many bytes it has, 0 at the end, or a negative errno. */
static ssize_t next_piece(struct packed *p)
{
	uint64_t rest = p->f->bytes - p->at, bytes = rest < PIECE_BYTES ? rest : PIECE_BYTES;
	int rc = perfdata_pread(p->f, p->in, p->at, bytes);

	p->at += bytes;
	return rc ?: (ssize_t)bytes;
}

static int write_piece(struct packed *p, size_t bytes)
{
	if (bytes > p->left)
		return -EFBIG;
	p->left -= bytes;
	return fwrite(p->out, 1, bytes, p->f->unpacked) == bytes ? 0 : -errno ?: -EIO;
}

static int unpack_gzip(struct packed *p)
{
	z_stream z = {0};
	int rc = inflateInit2(&z, 15 + 16) == Z_OK ? 0 : -ENOMEM, said = Z_OK;
	ssize_t got = 1;

	while (!rc && (said == Z_OK || said == Z_BUF_ERROR || said == Z_STREAM_END)) {
		if (!z.avail_in && (got = next_piece(p)) <= 0)
			break;
		z.next_in = z.avail_in ? z.next_in : p->in;
		z.avail_in = z.avail_in ?: got;
		if (said == Z_STREAM_END && inflateReset(&z) != Z_OK) /* one file may follow another */
			break;
		do {
			z.next_out = p->out;
			z.avail_out = PIECE_BYTES;
			said = inflate(&z, Z_NO_FLUSH);
			rc = write_piece(p, PIECE_BYTES - z.avail_out);
		} while (!rc && said == Z_OK && !z.avail_out);
	}
	inflateEnd(&z);
	return rc ?: got < 0 ? got : 0;
}

static int unpack_xz(struct packed *p)
{
	lzma_stream x = LZMA_STREAM_INIT;
	int rc = lzma_stream_decoder(&x, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK ? 0 : -ENOMEM;
	lzma_ret said = LZMA_OK;
	ssize_t got = 1;

	while (!rc && said == LZMA_OK) {
		if (!x.avail_in && got > 0) {
			got = next_piece(p);
			x.next_in = p->in;
			x.avail_in = got > 0 ? got : 0;
		}
		x.next_out = p->out;
		x.avail_out = PIECE_BYTES;
		said = lzma_code(&x, got > 0 ? LZMA_RUN : LZMA_FINISH);
		rc = write_piece(p, PIECE_BYTES - x.avail_out);
	}
	lzma_end(&x);
	return rc ?: got < 0 ? got : said == LZMA_MEMLIMIT_ERROR ? -ENOMEM : 0;
}

static int unpack_zstd(struct packed *p)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	int rc = z ? 0 : -ENOMEM;
	ssize_t got = 0;

	if (z)
		ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, PERFDATA_WINDOW_LOG);
	while (!rc && (got = next_piece(p)) > 0) {
		ZSTD_inBuffer in = {p->in, got, 0};
		ZSTD_outBuffer out;
		size_t said;

		do {
			out = (ZSTD_outBuffer){p->out, PIECE_BYTES, 0};
			said = ZSTD_decompressStream(z, &out, &in);
			rc = write_piece(p, out.pos);
		} while (!rc && !ZSTD_isError(said) && (in.pos < in.size || out.pos == out.size));
		if (ZSTD_isError(said))
			break;
	}
	ZSTD_freeDStream(z);
	return rc ?: got < 0 ? got : 0;
}

static const struct {
	const char *magic;
	int (*unpack)(struct packed *p);
} forms[] = {
	{"\x1f\x8b\x08", unpack_gzip},
	{"\xfd"
	 "7zXZ",
	 unpack_xz},
	{"\x28\xb5\x2f\xfd", unpack_zstd},
};

static int unpack(struct perfdata_file *f, int (*fn)(struct packed *p), struct dusk_error *err)
{
	_cleanup_(freep) struct packed *p = calloc(1, sizeof(*p));
	int rc = p ? 0 : -ENOMEM;

	f->unpacked = p ? tmpfile() : NULL;
	if (p && !f->unpacked)
		rc = -errno;
	if (!rc) {
		p->f = f;
		p->left = perfdata_most(f);
		rc = fn(p);
	}
	if (!rc && fflush(f->unpacked))
		rc = -errno;
	if (rc)
		return error_set(err, rc, "cannot unpack %s: %s", f->path, strerror(-rc));
	f->fd = fileno(f->unpacked);
	f->bytes = ftell(f->unpacked);
	return 0;
}

int perfdata_whole(struct perfdata_file *f, struct dusk_error *err)
{
	char head[6] = "";

	if (f->bytes < sizeof(head) || perfdata_pread(f, head, 0, sizeof(head)))
		return 0; /* as the header will tell */
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!memcmp(head, forms[i].magic, strlen(forms[i].magic)))
			return unpack(f, forms[i].unpack, err);
	return 0;
}
