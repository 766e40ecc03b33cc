/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is it rows of a table? See row_types.h. */
#include "clickhouse/row_types.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "base/map.h"

#define CHUNK (64u << 10)
#define MAX_BYTES (512ULL << 20) /* unpacked: a small post cannot cost much time */

/* What is left of a row. The values of types that are not there read as 0, and set .more. */
struct cursor {
	const uint8_t *at, *end;
	bool more, bad; /* the row goes on behind what is there; it is none */
};

static uint64_t number(struct cursor *c, size_t bytes)
{
	uint64_t value = 0;

	c->more |= bytes > (size_t)(c->end - c->at);
	if (c->more)
		return 0;
	memcpy(&value, c->at, bytes);
	c->at += bytes;
	return value;
}

static uint64_t varint(struct cursor *c)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (unsigned int shift = 0; byte & 0x80 && !c->more && !c->bad; shift += 7) {
		c->bad |= shift > 56;
		byte = number(c, 1);
		value |= (uint64_t)(byte & 0x7f) << (shift & 63);
	}
	return c->more || c->bad ? 0 : value;
}

/* The hash of a text. */
static uint64_t text(struct cursor *c)
{
	uint64_t len = varint(c);

	c->bad |= len > ROW_BYTES_MAX;
	c->more |= len > (size_t)(c->end - c->at);
	if (c->more || c->bad)
		return 0;
	c->at += len;
	return hash64(hash_data(c->at - len, len));
}

static uint64_t value(struct cursor *c, char type)
{
	return type == 't' ? text(c) : number(c, type - '0');
}

/* The end of the row at the cursor, of which @facts takes the first two columns and the last. */
static void read_row(struct cursor *c, const char *types, bool has_batch, struct row_facts *facts)
{
	uint64_t nr_elements = 0, ts = 0, last = 0, host = 0;
	bool first = !facts->nr_rows;

	for (size_t column = 0; *types && !c->more && !c->bad; types++, column++) {
		if (*types == '[' || *types == '=') {
			uint64_t nr = varint(c);

			c->bad |= nr > ROW_BYTES_MAX || (*types == '=' && nr != nr_elements);
			nr_elements = nr;
			types++;
			for (uint64_t i = 0; i < nr && !c->more && !c->bad; i++)
				value(c, *types);
			continue;
		}
		last = value(c, *types);
		ts = column == 0 ? last : ts;
		host = column == 1 ? last : host;
	}
	if (c->more || c->bad)
		return;
	facts->nr_rows++;
	if (!has_batch)
		return;
	if (first)
		*facts = (struct row_facts){1, host, last, ts / ROW_DAY_S};
	c->bad |= !last || last != facts->batch || ts / ROW_DAY_S != facts->day;
}

/* Unpacked bytes, from which whole rows are taken. */
struct window {
	z_stream z;
	uint8_t *bytes;
	size_t nr, room;
	uint64_t total;
};

static void window_done(struct window *w)
{
	inflateEnd(&w->z);
	free(w->bytes);
}

/* Unpack some more. Returns 1; 0: it was all; -EBADMSG or -ENOMEM. */
static int unpack(struct window *w)
{
	int rc;

	if (w->room - w->nr < CHUNK) {
		size_t room = w->room * 2 + CHUNK;
		uint8_t *more = w->nr > ROW_BYTES_MAX ? NULL : realloc(w->bytes, room);

		if (!more)
			return w->nr > ROW_BYTES_MAX ? -EBADMSG : -ENOMEM;
		w->bytes = more;
		w->room = room;
	}
	w->z.next_out = w->bytes + w->nr;
	w->z.avail_out = CHUNK;
	rc = inflate(&w->z, Z_NO_FLUSH);
	w->nr += CHUNK - w->z.avail_out;
	w->total += CHUNK - w->z.avail_out;
	if (rc == Z_MEM_ERROR)
		return -ENOMEM;
	if (rc == Z_STREAM_END)
		return w->z.avail_in ? -EBADMSG : 0; /* what follows would be in the way of the next post's rows */
	return rc != Z_OK || w->total > MAX_BYTES ? -EBADMSG : 1;
}

/* Take the whole rows. Returns 0, -EBADMSG or -E2BIG. */
static int take_rows(struct window *w, const char *types, bool has_batch, uint64_t max_rows, struct row_facts *facts)
{
	struct cursor c = {.at = w->bytes, .end = w->bytes + w->nr};
	const uint8_t *row = c.at;

	while (c.at < c.end && !c.more) {
		if (facts->nr_rows == max_rows)
			return -E2BIG;
		read_row(&c, types, has_batch, facts);
		if (c.bad || (!c.more && c.at - row > ROW_BYTES_MAX))
			return -EBADMSG;
		row = c.more ? row : c.at;
	}
	w->nr = c.end - row;
	memmove(w->bytes, row, w->nr);
	return 0;
}

int row_types_check(struct row_facts *ret, const char *types, bool has_batch, const void *packed, size_t len,
		    uint64_t max_rows)
{
	_cleanup_(window_done) struct window w = {.z = {.next_in = (void *)packed, .avail_in = len}};
	struct row_facts facts = {0};
	int rc, err;

	if (len > UINT32_MAX)
		return -E2BIG;
	if (inflateInit2(&w.z, MAX_WBITS + 16) != Z_OK) /* + 16: gzip */
		return -ENOMEM;
	do {
		rc = unpack(&w);
		err = rc < 0 ? rc : take_rows(&w, types, has_batch, max_rows, &facts);
	} while (rc == 1 && !err);
	if (err)
		return err;
	if (w.nr || !facts.nr_rows)
		return -EBADMSG;
	*ret = facts;
	return 0;
}
