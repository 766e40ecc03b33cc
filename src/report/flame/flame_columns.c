/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Encode columns of numbers for the page. See flame_columns.h. */
#include "report/flame/flame_columns.h"

void columns_begin(struct columns *c, const char *name, bool delta)
{
	struct column column = {.name = name, .delta = delta};

	if (!c->err)
		c->err = vec_push(&c->v, column);
}

void columns_add(struct columns *c, uint64_t value)
{
	struct column *column;
	uint64_t rest = value;
	size_t before = c->bytes.nr;

	if (c->err)
		return;
	column = &c->v.v[c->v.nr - 1];
	if (column->delta) {
		int64_t step = (int64_t)(value - column->last);

		rest = (uint64_t)step << 1 ^ (uint64_t)(step >> 63);
		column->last = value;
	}
	do {
		uint8_t byte = (rest & 0x7f) | (rest > 0x7f ? 0x80 : 0);

		c->err = vec_push(&c->bytes, byte);
		rest >>= 7;
	} while (rest && !c->err);
	column->nr++;
	column->bytes += c->bytes.nr - before;
}

void columns_directory(const struct columns *c, struct json *j, const char *key)
{
	json_array(j, key);
	for (size_t i = 0; i < c->v.nr; i++) {
		json_array(j, NULL);
		json_string(j, NULL, c->v.v[i].name);
		json_u64(j, NULL, c->v.v[i].delta);
		json_u64(j, NULL, c->v.v[i].nr);
		json_u64(j, NULL, c->v.v[i].bytes);
		json_array_end(j);
	}
	json_array_end(j);
}

void columns_done(struct columns *c)
{
	vec_done(&c->v);
	vec_done(&c->bytes);
}
