/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of ftrace, from a file and from a pipe: each line is there, and nothing is that a terminal should not see. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint64_t frames[] = {0xffffffff81000010, 0x0001800000001234, 7};

static int find(void *ctx, uint32_t id, struct dusk_stack *ret)
{
	if (id % 7 == 3)
		return -ENOENT;
	*ret = (struct dusk_stack){id, 1 + id % 3, 1, frames};
	return 0;
}

static size_t count(const char *text, size_t len, char c)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += text[i] == c;
	return nr;
}

static void decode(const uint8_t *data, size_t size, bool learn)
{
	static const struct stackmap_names names;
	struct decode d = {.find = find, .names = &names, .identity = 0x5a0c11d2};
	FILE *in = fmemopen((void *)data, size, "r"), *out;
	char *said = NULL;
	size_t len;

	out = open_memstream(&said, &len);
	assert(in && out);
	if (learn) {
		assert(!decode_learn(&d, in));
		rewind(in);
	}
	assert(!decode_write(&d, in, out));
	fclose(in);
	fclose(out);
	assert(count(said, len, '\n') >= count((const char *)data, size, '\n'));
	assert(!count(said, len, 0) && !count(said, len, 033));
	assert(d.foreign <= d.lines);
	decode_done(&d);
	free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size) /* fmemopen() refuses it */
		return 0;
	decode(data, size, true);
	decode(data, size, false);
	return 0;
}
