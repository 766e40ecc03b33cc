/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is it rows of a table? See row_types.h. */
#include "fleet/clickhouse/row_types.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "base/gzip.h"
#include "base/map.h"

#define CHUNK (64u << 10)
#define MAX_BYTES (512ULL << 20) /* unpacked */
#define FREE_BYTES (1ULL << 20)	 /* of which these may be packed as well as anybody can */
#define MAX_RATIO 100		 /* beyond: rows are full of hashes, so that none of a sender come near */

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

/* The length of what comes next: @most at most. */
static uint64_t length(struct cursor *c, uint64_t most)
{
	uint64_t len = varint(c);

	c->bad |= len > most;
	return len;
}

/* The hash of a text. */
static uint64_t text(struct cursor *c, uint64_t most)
{
	uint64_t len = length(c, most);

	c->more |= len > (size_t)(c->end - c->at);
	if (c->more || c->bad)
		return 0;
	c->at += len;
	return hash64(hash_data(c->at - len, len));
}

/* A newer dusk has more of them than this one: any word will do. */
static uint64_t word(struct cursor *c)
{
	const uint8_t *first = c->at + 1; /* the length is one byte */
	uint64_t hash = text(c, ROW_WORD_BYTES);

	if (c->more || c->bad)
		return 0;
	c->bad |= first == c->at;
	for (; first < c->at; first++)
		c->bad |= *first <= ' ' || *first > '~';
	return hash;
}

static uint64_t bounded(struct cursor *c, uint64_t least, uint64_t most)
{
	uint64_t value = number(c, sizeof(value));

	c->bad |= !c->more && (value < least || value > most);
	return value;
}

static uint64_t value(struct cursor *c, char type)
{
	switch (type) {
	case 't': return text(c, ROW_BYTES_MAX);
	case 'l': return text(c, ROW_LABEL_BYTES);
	case 'w': return word(c);
	case 'n': return bounded(c, 1, ROW_N_MAX);
	case 'v': return bounded(c, 0, ROW_NS_MAX);
	default: return number(c, type - '0');
	}
}

/* Returns the number of elements; where they have to be as many as @same (-1: any number). */
static uint64_t array(struct cursor *c, char type, int64_t same)
{
	uint64_t nr = length(c, ROW_BYTES_MAX);

	if (c->more || c->bad)
		return 0;
	c->bad |= same >= 0 && nr != (uint64_t)same;
	for (uint64_t i = 0; i < nr && !c->more && !c->bad; i++)
		value(c, type);
	return nr;
}

/* The end of the row at the cursor, of which @facts takes the first two columns and the last. */
static void read_row(struct cursor *c, const char *types, bool has_batch, struct row_facts *facts)
{
	uint64_t nr_elements = 0, ts = 0, last = 0, host = 0;
	bool first = !facts->nr_rows;

	for (size_t column = 0; *types && !c->more && !c->bad; types++, column++) {
		if (*types == '[' || *types == '=') {
			nr_elements = array(c, types[1], *types == '=' ? (int64_t)nr_elements : -1);
			types++;
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
	if (w->total > MAX_BYTES || (w->total > FREE_BYTES && w->total > MAX_RATIO * w->z.total_in))
		return -EBADMSG;
	return rc == Z_OK ? 1 : -EBADMSG;
}

/* What is done with each row. */
struct taker {
	int (*take)(struct taker *t, struct cursor *c); /* returns 0, or a negative errno */
};

/* Take the whole rows. Returns 0, -EBADMSG, or as .take. */
static int take_rows(struct window *w, struct taker *t)
{
	struct cursor c = {.at = w->bytes, .end = w->bytes + w->nr};
	const uint8_t *row = c.at;

	while (c.at < c.end && !c.more) {
		int rc = t->take(t, &c);

		if (rc || c.bad || (!c.more && c.at - row > ROW_BYTES_MAX))
			return rc ?: -EBADMSG;
		row = c.more ? row : c.at;
	}
	w->nr = c.end - row;
	memmove(w->bytes, row, w->nr);
	return 0;
}

/* Give each row of @packed to @t. Returns 0 or as take_rows(). */
static int each_row(struct taker *t, const void *packed, size_t len)
{
	_cleanup_(window_done) struct window w = {.z = {.next_in = (void *)packed, .avail_in = len}};
	int rc, err;

	if (len > UINT32_MAX)
		return -E2BIG;
	if (inflateInit2(&w.z, MAX_WBITS + 16) != Z_OK) /* + 16: gzip */
		return -ENOMEM;
	do {
		rc = unpack(&w);
		err = rc < 0 ? rc : take_rows(&w, t);
	} while (rc == 1 && !err);
	return err ?: w.nr ? -EBADMSG : 0;
}

/* ---- Checking ---- */

struct checker {
	struct taker taker;
	const char *types;
	bool has_batch;
	uint64_t max_rows;
	struct row_facts facts;
};

static int check(struct taker *t, struct cursor *c)
{
	struct checker *k = (struct checker *)t; /* its first member */

	if (k->facts.nr_rows == k->max_rows)
		return -E2BIG;
	read_row(c, k->types, k->has_batch, &k->facts);
	return 0;
}

int row_types_check(struct row_facts *ret, const char *types, bool has_batch, const void *packed, size_t len,
		    uint64_t max_rows)
{
	struct checker k = {.taker = {check}, .types = types, .has_batch = has_batch, .max_rows = max_rows};
	int rc = each_row(&k.taker, packed, len);

	rc = rc ?: k.facts.nr_rows ? rc : -EBADMSG;
	if (!rc)
		*ret = k.facts;
	return rc;
}

/* ---- Converting ---- */

bool row_type_is_known(const char *types)
{
	return *types && strchr("148tlwnv", types[row_type_len(types) - 1]);
}

struct converter {
	struct taker taker;
	const struct row_layout *layout;
	const char *types;
	struct gzip *out;
};

struct span {
	const uint8_t *at;
	size_t len;
};

/* Of a column that is not there: an empty text or array is one byte. */
static struct span nothing(const char *type)
{
	static const uint8_t zeros[8];

	return (struct span){zeros, *type == '4' ? 4 : strchr("8nv", *type) ? 8 : 1};
}

static int convert(struct taker *t, struct cursor *c)
{
	const struct converter *k = (const struct converter *)t; /* its first member */
	struct span spans[ROW_COLUMNS_MAX] = {0};
	const char *type = k->layout->types;
	size_t column = 0;

	for (; *type; type += row_type_len(type)) {
		struct span s = {c->at, 0};
		int8_t to = k->layout->to[column++];

		if (row_type_len(type) == 2)
			array(c, type[1], -1);
		else
			value(c, *type);
		if (c->more || c->bad)
			return 0;
		s.len = c->at - s.at;
		if (to >= 0)
			spans[to] = s;
	}
	column = 0;
	for (type = k->types; *type; type += row_type_len(type), column++) {
		struct span s = spans[column].at ? spans[column] : nothing(type);

		gzip_write(k->out, s.at, s.len);
	}
	return 0;
}

int row_types_convert(FILE *out, const struct row_layout *layout, const char *types, const void *packed, size_t len)
{
	struct converter k = {.taker = {convert}, .layout = layout, .types = types};
	int rc = gzip_new(&k.out, out);

	if (rc)
		return rc;
	rc = each_row(&k.taker, packed, len);
	gzip_free(k.out);
	return rc;
}
