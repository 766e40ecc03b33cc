/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unpack the records of a perf.data that are compressed (perf record -z).
 *
 * Some records contain a part of one zstd stream each. The stream is a sequence of records; one may begin in one part and
 * end in another. All records, those of the stream and the others, are written to a temporary file in the order in
 * which they come.
 */
#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "lib/perfdata/file.h"

#define MAX_BYTES (4ULL << 30)
#define MAX_PIECES 8192 /* files of a folder: perf has one for each thread that reads, at most one a CPU */
#define MAX_RATIO 1000	/* of the unpacked bytes to the file's: perf's own records reach a tenth of that */

struct unpacking {
	ZSTD_DStream *stream;
	uint64_t written, most; /* bytes of the temporary file, and their limit */
	size_t pending;		/* bytes of the stream that are not written: less than a record */
	uint8_t part[2 * PERFDATA_RECORD_BYTES];
};

static int write_record(struct perfdata_file *f, struct unpacking *u, const void *record, size_t bytes)
{
	if (bytes > u->most - u->written)
		return -EFBIG;
	u->written += bytes;
	return fwrite(record, 1, bytes, f->unpacked) == bytes ? 0 : -errno ?: -EIO;
}

/* Write the records of the stream that are whole. */
static int write_whole(struct perfdata_file *f, struct unpacking *u)
{
	struct perf_event_header h;
	size_t at = 0;
	int rc = 0;

	while (!rc && u->pending - at >= sizeof(h)) {
		memcpy(&h, u->part + at, sizeof(h));
		if (h.size < sizeof(h))
			return -EINVAL;
		if (h.size > u->pending - at)
			break;
		rc = write_record(f, u, u->part + at, h.size);
		at += h.size;
	}
	u->pending -= at;
	memmove(u->part, u->part + at, u->pending);
	return rc;
}

static int unpack_part(struct perfdata_file *f, struct unpacking *u, const void *part, size_t bytes)
{
	ZSTD_inBuffer in = {part, bytes, 0};
	bool full = true; /* there may be more than fitted */
	int rc = 0;

	while (!rc && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = {u->part, sizeof(u->part), u->pending};
		size_t before = in.pos;

		if (ZSTD_isError(ZSTD_decompressStream(u->stream, &out, &in)))
			return -EINVAL;
		if (in.pos == before && out.pos == u->pending)
			break;
		full = out.pos == out.size;
		u->pending = out.pos;
		rc = write_whole(f, u);
	}
	return rc;
}

static int unpack_record(struct perfdata_file *f, uint64_t offset, void *ctx)
{
	const struct perf_event_header *h = (const struct perf_event_header *)f->record;
	const uint64_t *words = (const uint64_t *)(h + 1);
	uint64_t bytes = h->size - sizeof(*h);
	struct unpacking *u = ctx;

	if (h->type == RECORD_COMPRESSED)
		return unpack_part(f, u, words, bytes);
	if (h->type == RECORD_COMPRESSED2) /* { header; length; the part; padding } */
		return bytes < sizeof(*words) || words[0] > bytes - sizeof(*words)
			       ? -EINVAL
			       : unpack_part(f, u, words + 1, words[0]);
	if (perfdata_payload(h)) /* what follows it is not needed, nor is the record */
		return 0;
	return write_record(f, u, h, h->size);
}

uint64_t perfdata_most(const struct perfdata_file *f)
{
	return f->bytes < MAX_BYTES / MAX_RATIO ? f->bytes * MAX_RATIO : MAX_BYTES;
}

/* The records of one more file of the folder, which has a stream of its own. */
static int unpack_piece(struct perfdata_file *f, struct unpacking *u, int fd, uint64_t bytes, struct dusk_error *err)
{
	f->d.malformed += u->pending > 0;
	u->pending = 0;
	ZSTD_DCtx_reset(u->stream, ZSTD_reset_session_only);
	f->fd = fd;
	f->data = 0;
	f->data_end = f->bytes = bytes;
	u->most += perfdata_most(f);
	return perfdata_each(f, unpack_record, u, err);
}

static int unpack_pieces(struct perfdata_file *f, struct unpacking *u, struct dusk_error *err)
{
	int rc = 0;

	for (unsigned int i = 0; f->in_pieces && i < MAX_PIECES && !rc; i++) {
		_cleanup_(closep) int fd = -1;
		struct stat st;
		char name[32];

		snprintf(name, sizeof(name), "data.%u", i);
		fd = perfdata_open_piece(f->folder, name, &st);
		if (fd < 0)
			return fd == -ENOENT
				       ? 0
				       : error_set(err, fd, "cannot read %s/%s: %s", f->path, name, strerror(-fd));
		rc = unpack_piece(f, u, fd, st.st_size, err);
	}
	return rc;
}

static int unpack_all(struct perfdata_file *f, struct unpacking *u, struct dusk_error *err)
{
	FILE *unpacked = tmpfile();
	int rc;

	f->packed = f->unpacked;
	f->unpacked = unpacked;
	if (!unpacked)
		return error_set(err, -errno, "cannot read %s: no temporary file for its records: %s", f->path,
				 strerror(errno));
	f->missing = f->not_there;
	rc = perfdata_each(f, unpack_record, u, err) ?: unpack_pieces(f, u, err);
	if (rc)
		return rc;
	if (fflush(unpacked))
		return error_set(err, -errno, "cannot read %s: cannot write its records to a temporary file: %s",
				 f->path, strerror(errno));
	f->d.malformed += u->pending > 0;
	f->fd = fileno(unpacked);
	f->data = 0;
	f->data_end = f->bytes = u->written;
	return 0;
}

int perfdata_unpack(struct perfdata_file *f, struct dusk_error *err)
{
	struct unpacking *u = calloc(1, sizeof(*u));
	int rc;

	if (u)
		u->stream = ZSTD_createDStream();
	if (!u || !u->stream) {
		free(u);
		return error_set(err, -ENOMEM, "cannot read %s: out of memory", f->path);
	}
	ZSTD_DCtx_setParameter(u->stream, ZSTD_d_windowLogMax, PERFDATA_WINDOW_LOG);
	u->most = perfdata_most(f);
	rc = unpack_all(f, u, err);
	ZSTD_freeDStream(u->stream);
	free(u);
	return rc;
}
