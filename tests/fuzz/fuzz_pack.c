/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packed rows from anywhere are refused, or are what they are when they are packed again. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lib/profile/sums/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const struct pack *a, const struct pack *b)
{
	assert(a->nr == b->nr && a->rows == b->rows);
	for (uint32_t i = 0; i < a->nr; i++)
		for (uint32_t row = 0; row < a->rows; row++) {
			const struct pack_column *x = &a->column[i], *y = &b->column[i];

			assert(pack_is_null(x, row) == pack_is_null(y, row) && pack_is_text(x) == pack_is_text(y));
			if (pack_is_text(x))
				assert(!strcmp(pack_text_at(x, row), pack_text_at(y, row)));
			else
				assert(x->numbers.v[row] == y->numbers.v[row]);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pack read = {.nr = 0}, again = {.nr = 0};
	uint8_t *own = malloc(size + !size), *block; /* so that a read beyond it is seen */
	size_t len;
	int err;

	assert(own);
	memcpy(own, data, size);
	err = pack_decode(own, size, &read);
	assert(!err || err == -EBADMSG || err == -ENOTSUP || err == -ENOMEM);
	if (!err) {
		assert(!pack_encode(&read, &block, &len));
		assert(!pack_decode(block, len, &again));
		check_same(&read, &again);
		free(block);
	}
	pack_done(&read);
	pack_done(&again);
	free(own);
	return 0;
}
