/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write the page of `dusk flame`: profiles as flame graphs in a browser.
 *
 * The page is the viewer (turned into C by embed.sh) with the data in its middle: a line of JSON (flame_data.h) and
 * columns of numbers (flame_columns.h), as gzip in base64. So no data can have a meaning in HTML, and
 *
 *	sed '1,/id="profile"/d; /<\/script>/,$d' flame.html | base64 -d | gunzip | head -n 1
 *
 * shows the JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/gzip.h"
#include "base/memstream.h"
#include "report/flame/flame.h"
#include "report/flame/flame_data.h"
#include "report/viewer.h"

#define LINE_BYTES (3 * 256) /* as base64, a line of 1024 characters */

static void put_base64(FILE *out, const uint8_t *data, size_t bytes)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes; i += 3) {
		size_t left = bytes - i;
		uint32_t three = data[i] << 16 | (left > 1 ? data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
		char four[4] = {digit[three >> 18], digit[three >> 12 & 63], left > 1 ? digit[three >> 6 & 63] : '=',
				left > 2 ? digit[three & 63] : '='};

		fwrite(four, 1, sizeof(four), out);
		if ((i + 3) % LINE_BYTES == 0 || left <= 3)
			putc('\n', out);
	}
}

/* The data of @page as gzip. Free *@ret with free(). */
static int compress_page(char **ret, size_t *ret_bytes, const struct flame_page *page)
{
	_cleanup_(freep) char *packed = NULL;
	struct flame_data data = {0};
	struct gzip *gzip;
	size_t bytes;
	FILE *into;
	int err;

	err = flame_data_init(&data, page);
	into = err ? NULL : open_memstream(&packed, &bytes);
	if (!into) {
		flame_data_done(&data);
		return err ? err : -ENOMEM;
	}
	err = gzip_new(&gzip, into);
	if (!err) {
		gzip_write(gzip, data.json, data.json_bytes);
		gzip_write(gzip, data.columns.bytes.v, data.columns.bytes.nr);
		gzip_free(gzip);
	}
	flame_data_done(&data);
	err = memstream_end(into, err);
	if (err)
		return err;
	*ret = steal(packed);
	*ret_bytes = bytes;
	return 0;
}

/* @put: how the data go to @out. */
static int write_by(void (*put)(FILE *out, const uint8_t *packed, size_t bytes), FILE *out,
		    const struct flame_page *page)
{
	_cleanup_(freep) char *packed = NULL;
	size_t bytes;
	int err;

	err = compress_page(&packed, &bytes, page);
	if (err)
		return err;
	errno = 0;
	put(out, (const uint8_t *)packed, bytes);
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

static void put_data(FILE *out, const uint8_t *packed, size_t bytes)
{
	fwrite(packed, 1, bytes, out);
}

static void put_page(FILE *out, const uint8_t *packed, size_t bytes)
{
	fwrite(viewer_head, 1, sizeof(viewer_head), out);
	put_base64(out, packed, bytes);
	fwrite(viewer_tail, 1, sizeof(viewer_tail), out);
}

int flame_write_data(FILE *out, const struct flame_page *page)
{
	return write_by(put_data, out, page);
}

int flame_write(FILE *out, const struct flame_page *page)
{
	return write_by(put_page, out, page);
}
