/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The codec of blocks of rows. See pack.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "base/cleanup.h"
#include "lib/profile/sums/pack.h"

enum { VERSION = 1, PLAIN = 0, ZSTD = 1, LEVEL = 3 };
enum { VARINT_MAX = 10, NR_HEAD = 5, HEAD_MAX = (NR_HEAD + PACK_MAX) * VARINT_MAX };

/* How a column is encoded. */
enum kind { DIFFERENCES, NUMBERS, TEXTS, NR_KINDS, NULLS = 4 /* a byte for each row says first whether it is NULL */ };

static int add(struct pack_column *c, uint64_t number, bool null)
{
	if (null && !c->null.nr) {
		if (vec_reserve(&c->null, c->numbers.nr))
			return -ENOMEM;
		if (c->numbers.nr)
			memset(c->null.v, 0, c->numbers.nr);
		c->null.nr = c->numbers.nr;
	}
	if ((c->null.nr || null) && vec_push(&c->null, null))
		return -ENOMEM;
	return vec_push(&c->numbers, number);
}

int pack_number(struct pack *c, uint32_t column, uint64_t value)
{
	return pack_is_text(&c->column[column]) ? -EINVAL : add(&c->column[column], value, false);
}

int pack_null(struct pack *c, uint32_t column)
{
	struct pack_column *to = &c->column[column];

	return pack_is_text(to) ? pack_text(c, column, "") : add(to, 0, true);
}

/* The rows before had NULL, which is an empty text. */
static int begin_texts(struct pack_column *c)
{
	if (c->null.nr != c->numbers.nr)
		return -EINVAL;
	c->null.nr = 0;
	if (vec_reserve(&c->texts, c->numbers.nr))
		return -ENOMEM;
	for (size_t i = 0; i < c->numbers.nr; i++) {
		c->numbers.v[i] = i;
		c->texts.v[c->texts.nr++] = 0;
	}
	return 0;
}

int pack_text(struct pack *c, uint32_t column, const char *text)
{
	struct pack_column *to = &c->column[column];
	int err = to->texts.nr ? 0 : begin_texts(to);

	err = err ?: add(to, to->texts.nr, false);
	return err ?: vec_append(&to->texts, text, strlen(text) + 1);
}

void pack_end_row(struct pack *c)
{
	c->rows++;
}

void pack_clear(struct pack *c)
{
	c->rows = 0;
	for (uint32_t i = 0; i < c->nr; i++)
		c->column[i].numbers.nr = c->column[i].null.nr = c->column[i].texts.nr = 0;
}

void pack_done(struct pack *c)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		vec_done(&c->column[i].numbers);
		vec_done(&c->column[i].null);
		vec_done(&c->column[i].texts);
	}
	c->rows = 0;
}

static uint8_t *put(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = value | 0x80;
	*to++ = value;
	return to;
}

static bool get(const uint8_t **from, const uint8_t *end, uint64_t *ret)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64 && *from < end; shift += 7) {
		uint8_t byte = *(*from)++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static size_t varint_bytes(uint64_t value)
{
	return 1 + (63 - __builtin_clzll(value | 1)) / 7;
}

static enum kind shorter(const struct pack_column *c)
{
	size_t numbers = 0, differences = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < c->numbers.nr; i++) {
		numbers += varint_bytes(c->numbers.v[i]);
		differences += varint_bytes(zigzag(c->numbers.v[i] - last));
		last = c->numbers.v[i];
	}
	return numbers < differences ? NUMBERS : DIFFERENCES;
}

static uint8_t *put_column(uint8_t *to, const struct pack_column *c, enum kind kind)
{
	uint64_t last = 0;

	if (kind & NULLS)
		to = (uint8_t *)memcpy(to, c->null.v, c->null.nr) + c->null.nr;
	if (kind == TEXTS)
		return (uint8_t *)memcpy(to, c->texts.v, c->texts.nr) + c->texts.nr;
	for (size_t i = 0; i < c->numbers.nr; i++) {
		to = put(to, (kind & ~NULLS) == NUMBERS ? c->numbers.v[i] : zigzag(c->numbers.v[i] - last));
		last = c->numbers.v[i];
	}
	return to;
}

static bool is_whole(const struct pack *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->column[i].numbers.nr != c->rows || (c->column[i].null.nr && c->column[i].texts.nr))
			return false;
	return c->nr <= PACK_MAX;
}

int pack_encode(const struct pack *c, uint8_t **ret, size_t *ret_len)
{
	_cleanup_(freep) uint8_t *plain = NULL, *block = NULL;
	size_t room = 1, plain_len, packed_len, packed_room;
	enum kind kind[PACK_MAX];
	uint8_t *end, *head;
	bool gains;

	if (c->rows > PACK_ROWS_MAX)
		return -E2BIG;
	if (!is_whole(c))
		return -EINVAL;
	for (uint32_t i = 0; i < c->nr; i++)
		room += c->column[i].texts.nr ?: (size_t)c->rows * (VARINT_MAX + 1);
	end = plain = malloc(room);
	if (!plain)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->nr; i++) {
		kind[i] = pack_is_text(&c->column[i]) ? TEXTS : shorter(&c->column[i]);
		kind[i] |= c->column[i].null.nr ? NULLS : 0;
		end = put_column(end, &c->column[i], kind[i]);
	}
	plain_len = end - plain;
	packed_room = ZSTD_compressBound(plain_len);
	block = malloc(HEAD_MAX + packed_room);
	if (!block)
		return -ENOMEM;
	packed_len = ZSTD_compress(block + HEAD_MAX, packed_room, plain, plain_len, LEVEL);
	gains = !ZSTD_isError(packed_len) && packed_len < plain_len && c->rows / PACK_ROWS_A_BYTE <= packed_len &&
		plain_len / PACK_BYTES_A_BYTE <= packed_len;
	head = put(put(put(put(put(block, VERSION), gains ? ZSTD : PLAIN), c->rows), c->nr), plain_len);
	for (uint32_t i = 0; i < c->nr; i++)
		head = put(head, kind[i]);
	if (gains)
		memmove(head, block + HEAD_MAX, packed_len);
	else
		memcpy(head, plain, plain_len);
	*ret_len = head - block + (gains ? packed_len : plain_len);
	*ret = steal(block);
	return 0;
}

static int get_numbers(struct pack_column *c, const uint8_t **at, const uint8_t *end, uint32_t rows, bool differences)
{
	const uint8_t *from = *at;
	uint64_t value = 0, got;

	if (vec_reserve(&c->numbers, rows))
		return -ENOMEM;
	for (uint32_t i = 0; i < rows; i++) {
		if (from < end && *from < 0x80) /* most are so small */
			got = *from++;
		else if (!get(&from, end, &got))
			return -EBADMSG;
		value = differences ? value + (got >> 1 ^ -(got & 1)) : got;
		c->numbers.v[i] = value;
	}
	c->numbers.nr = rows;
	*at = from;
	return 0;
}

static int get_texts(struct pack_column *c, const uint8_t **at, const uint8_t *end, uint32_t rows)
{
	const uint8_t *first = *at;

	if (vec_reserve(&c->numbers, rows))
		return -ENOMEM;
	for (uint32_t i = 0; i < rows; i++) {
		const uint8_t *nul = *at < end ? memchr(*at, 0, end - *at) : NULL;

		if (!nul)
			return -EBADMSG;
		c->numbers.v[c->numbers.nr++] = *at - first;
		*at = nul + 1;
	}
	return vec_append(&c->texts, (const char *)first, *at - first);
}

static int get_column(struct pack_column *c, const uint8_t **at, const uint8_t *end, uint32_t rows, uint64_t kind)
{
	if (kind & NULLS) {
		if (end - *at < rows)
			return -EBADMSG;
		if (vec_append(&c->null, *at, rows))
			return -ENOMEM;
		*at += rows;
	}
	return kind == TEXTS ? get_texts(c, at, end, rows)
			     : get_numbers(c, at, end, rows, (kind & ~NULLS) == DIFFERENCES);
}

/* Set @kind for each column. */
static int get_kinds(const uint8_t **at, const uint8_t *end, uint32_t nr, uint64_t *kind)
{
	for (uint32_t i = 0; i < nr; i++) {
		if (!get(at, end, &kind[i]))
			return -EBADMSG;
		if (kind[i] > TEXTS && kind[i] != (NUMBERS | NULLS) && kind[i] != (DIFFERENCES | NULLS))
			return -ENOTSUP;
	}
	return 0;
}

int pack_decode(const uint8_t *data, size_t len, struct pack *ret)
{
	_cleanup_(freep) uint8_t *unpacked = NULL;
	const uint8_t *end = data + len;
	uint64_t head[NR_HEAD], kind[PACK_MAX];
	int err;

	ret->nr = 0;
	for (int i = 0; i < NR_HEAD; i++) {
		if (!get(&data, end, &head[i]))
			return -EBADMSG;
		if (!i && head[0] != VERSION)
			return -ENOTSUP;
	}
	if (head[1] > ZSTD || head[3] > PACK_MAX)
		return -ENOTSUP;
	err = get_kinds(&data, end, head[3], kind);
	if (err)
		return err;
	if (head[2] > PACK_ROWS_MAX || head[4] < head[2] * head[3] ||
	    head[2] / PACK_ROWS_A_BYTE > (uint64_t)(end - data) || head[4] / PACK_BYTES_A_BYTE > (uint64_t)(end - data))
		return -EBADMSG;
	if (head[1] == ZSTD) {
		if (ZSTD_getFrameContentSize(data, end - data) != head[4])
			return -EBADMSG;
		unpacked = malloc(head[4] + 1);
		if (!unpacked)
			return -ENOMEM;
		if (ZSTD_decompress(unpacked, head[4], data, end - data) != head[4])
			return -EBADMSG;
		data = unpacked;
		end = unpacked + head[4];
	} else if ((uint64_t)(end - data) != head[4]) {
		return -EBADMSG;
	}
	ret->nr = head[3];
	ret->rows = head[2];
	for (uint32_t i = 0; i < ret->nr && !err; i++)
		err = get_column(&ret->column[i], &data, end, ret->rows, kind[i]);
	return err ?: data == end ? 0 : -EBADMSG;
}
