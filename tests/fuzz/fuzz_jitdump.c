/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of JIT dumps on any bytes: what is found lies where, and was there when it was looked for. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/process/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t places[] = {0, 1, 0x1000, 0x1008, 0x2000, 0x7fffffffffff, UINT64_MAX - 1, UINT64_MAX};
	struct jitdump *j;
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	int err = in ? jitdump_parse(&j, in, places, sizeof(places) / sizeof(places[0])) : -1;

	if (in)
		fclose(in);
	if (err)
		return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
			uint64_t start = 0;
			const char *name = jitdump_find(j, places[i], places[k], &start);

			assert(!name || (*name && strlen(name) <= size && start <= places[i]));
		}
	jitdump_free(j);
	return 0;
}
