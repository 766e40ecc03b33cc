/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The page of the flame graph, read back into SQL tables by code of its own (base64 here, zlib, SQLite's JSON):
 *
 *	page	json
 *	number	name, i, value		the columns
 *	node	i, depth, label, name, kind
 *	rows	series, thread, bucket, node, samples, weight
 */
#pragma once
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>
#include <zlib.h>

#include "report/flame/flame.h"

struct flame_reader {
	char *html; /* the page */
	size_t bytes;
	const char *text; /* of it, the data */
	size_t text_bytes;
	char *json;
	sqlite3 *db;
};

static inline void reader_run(struct flame_reader *r, const char *sql)
{
	if (sqlite3_exec(r->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", sqlite3_errmsg(r->db), sql);
	abort();
}

/* The first column of the first row, as text; to be freed. */
static inline char *reader_text(struct flame_reader *r, const char *sql)
{
	sqlite3_stmt *row;
	char *text;

	if (sqlite3_prepare_v2(r->db, sql, -1, &row, NULL) != SQLITE_OK || sqlite3_step(row) != SQLITE_ROW) {
		fprintf(stderr, "%s: %s\n", sqlite3_errmsg(r->db), sql);
		abort();
	}
	text = strdup(sqlite3_column_text(row, 0) ? (const char *)sqlite3_column_text(row, 0) : "");
	sqlite3_finalize(row);
	return text;
}

static inline int64_t reader_number(struct flame_reader *r, const char *sql)
{
	char *text = reader_text(r, sql);
	int64_t n = strtoll(text, NULL, 10);

	free(text);
	return n;
}

static inline size_t reader_base64(const char *text, size_t len, unsigned char *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0, nr_bits = 0;
	size_t nr = 0;

	for (size_t i = 0; i < len && text[i] != '='; i++) {
		if (text[i] == '\n')
			continue;
		assert(strchr(digits, text[i]));
		bits = bits << 6 | (strchr(digits, text[i]) - digits);
		nr_bits += 6;
		if (nr_bits >= 8)
			to[nr++] = bits >> (nr_bits -= 8);
	}
	return nr;
}

static inline unsigned char *reader_gunzip(unsigned char *from, size_t len, size_t *ret)
{
	size_t room = 4 << 20;
	unsigned char *to = malloc(room);
	z_stream z = {.next_in = from, .avail_in = len, .next_out = to, .avail_out = room};

	assert(to && inflateInit2(&z, MAX_WBITS + 16) == Z_OK && inflate(&z, Z_FINISH) == Z_STREAM_END);
	*ret = z.total_out;
	inflateEnd(&z);
	return to;
}

static inline void reader_insert(sqlite3_stmt *insert, const char *name, int64_t i, int64_t value)
{
	sqlite3_bind_text(insert, 1, name, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(insert, 2, i);
	sqlite3_bind_int64(insert, 3, value);
	sqlite3_step(insert);
	sqlite3_reset(insert);
}

/* One column, and, of a series' column "rows", the column "group": the group of each row. Returns what is behind it. */
static inline const unsigned char *reader_column(sqlite3_stmt *insert, const char *name, bool delta, int64_t nr,
						 const unsigned char *at)
{
	char group[64];
	int64_t value = 0, row = 0;

	snprintf(group, sizeof(group), "%.*s.group", (int)strcspn(name, "."), name);
	for (int64_t i = 0; i < nr; i++) {
		uint64_t x = 0;
		int shift = 0;

		do
			x |= (uint64_t)(*at & 127) << shift, shift += 7;
		while (*at++ & 128);
		value = delta ? value + (int64_t)(x >> 1 ^ -(x & 1)) : (int64_t)x;
		reader_insert(insert, name, i, value);
		for (int64_t k = 0; k < value && !strcmp(strchr(name, '.'), ".rows"); k++)
			reader_insert(insert, group, row++, i);
	}
	return at;
}

static inline void reader_columns(struct flame_reader *r, const unsigned char *at, const unsigned char *end)
{
	sqlite3_stmt *column, *insert;

	reader_run(r, "create table number (name text, i integer, value integer)");
	sqlite3_prepare_v2(r->db, "insert into number values (?, ?, ?)", -1, &insert, NULL);
	sqlite3_prepare_v2(
		r->db,
		"select json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),"
		" json_extract(value, '$[3]') from page, json_each(page.json, '$.columns')",
		-1, &column, NULL);
	while (sqlite3_step(column) == SQLITE_ROW) {
		const unsigned char *behind = at + sqlite3_column_int64(column, 3);

		assert(behind <= end);
		at = reader_column(insert, (const char *)sqlite3_column_text(column, 0), sqlite3_column_int(column, 1),
				   sqlite3_column_int64(column, 2), at);
		assert(at == behind);
	}
	assert(at == end);
	sqlite3_finalize(insert);
	sqlite3_finalize(column);
}

static inline void reader_views(struct flame_reader *r)
{
	reader_run(r,
		   "create index by_name on number(name, i);"
		   "create table node as select d.i, d.value as depth, l.value as label,"
		   "  json_extract(page.json, '$.names[' || l.value || ']') as name, k.value as kind"
		   " from page, number d join number l on l.i = d.i join number k on k.i = l.value"
		   " where d.name = 'node.depth' and l.name = 'node.label' and k.name = 'label.kind';"
		   "create table rows as select substr(g.name, 1, 1) as series, t.value as thread, b.value as bucket,"
		   "  n.value as node, s.value as samples, coalesce(w.value, s.value) as weight"
		   " from number g join number n on n.i = g.i and n.name = substr(g.name, 1, 1) || '.node'"
		   " join number s on s.i = g.i and s.name = substr(g.name, 1, 1) || '.samples'"
		   " left join number w on w.i = g.i and w.name = substr(g.name, 1, 1) || '.weight'"
		   " join number t on t.i = g.value and t.name = substr(g.name, 1, 1) || '.thread'"
		   " join number b on b.i = g.value and b.name = substr(g.name, 1, 1) || '.bucket'"
		   " where g.name in ('0.group', '1.group')");
}

static inline int reader_open(struct flame_reader *r, const struct flame_page *page)
{
	static const char begin[] = "id=\"profile\">\n", end[] = "</script>";
	unsigned char *packed, *data, *line;
	size_t bytes;
	sqlite3_stmt *insert;
	FILE *out = open_memstream(&r->html, &r->bytes);
	int err = flame_write(out, page);

	fclose(out);
	if (err)
		return err;
	assert(strlen(r->html) == r->bytes);
	r->text = strstr(r->html, begin);
	assert(r->text);
	r->text += strlen(begin);
	r->text_bytes = strstr(r->text, end) - r->text;
	packed = malloc(r->text_bytes);
	bytes = reader_base64(r->text, r->text_bytes, packed);
	data = reader_gunzip(packed, bytes, &bytes);
	line = memchr(data, '\n', bytes);
	assert(line);
	r->json = strndup((char *)data, line - data);
	sqlite3_open(":memory:", &r->db);
	reader_run(r, "create table page (json text)");
	sqlite3_prepare_v2(r->db, "insert into page values (?)", -1, &insert, NULL);
	sqlite3_bind_text(insert, 1, r->json, -1, SQLITE_STATIC);
	sqlite3_step(insert);
	sqlite3_finalize(insert);
	assert(reader_number(r, "select json_valid(json) from page"));
	reader_columns(r, line + 1, data + bytes);
	free(packed);
	free(data);
	return 0;
}

static inline void reader_close(struct flame_reader *r)
{
	sqlite3_close(r->db);
	free(r->html);
	free(r->json);
}
