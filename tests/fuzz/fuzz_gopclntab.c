/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of a Go program's functions, of any bytes: each name that it gives is a string within them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/gopclntab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1); /* ASan sees what is read behind it */
	struct gopclntab_function f;
	struct gopclntab t;

	memcpy(copy, data, size);
	if (gopclntab_open(&t, copy, size))
		for (uint32_t i = 0; i < t.nr && i < 4096; i++)
			if (gopclntab_function(&t, i, &f))
				assert(f.start < f.end && f.name > copy && f.name + strlen(f.name) < copy + size);
	free(copy);
	return 0;
}
