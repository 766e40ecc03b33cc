/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A profile as a format writes it, in memory, unpacked. Include after cmocka.h. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "export/export.h"

struct exported {
	char *v; /* a 0 byte follows */
	size_t len;
};

static inline struct exported exported_unpack(struct exported packed)
{
	z_stream z = {.next_in = (unsigned char *)packed.v, .avail_in = packed.len};
	struct exported plain = {malloc(packed.len * 200 + 65536), 0};

	z.next_out = (unsigned char *)plain.v;
	z.avail_out = packed.len * 200 + 65536 - 1;
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	plain.len = z.total_out;
	plain.v[plain.len] = 0;
	inflateEnd(&z);
	free(packed.v);
	return plain;
}

/* To be freed with free() of v. */
static inline struct exported exported_as(const char *format, const struct dusk_profile *p, struct export_options o)
{
	struct exported e = {0};
	FILE *out = open_memstream(&e.v, &e.len);

	assert_int_equal(export_find(format)->write(out, p, &o), 0);
	fclose(out);
	return e.len > 2 && !memcmp(e.v, "\x1f\x8b", 2) ? exported_unpack(e) : e;
}
