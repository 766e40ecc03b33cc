/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of perf maps on any text: what is found lies where it was looked for. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/process/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t places[] = {0, 1, 0x1000, 0x1008, 0x2000, 0x7fffffffffff, UINT64_MAX - 1, UINT64_MAX};
	struct perfmap *m;

	if (perfmap_parse(&m, (const char *)data, size, places, sizeof(places) / sizeof(places[0])))
		return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct code_loads loads = {0};

		if (!perfmap_loads(m, &(struct perfmap_marks){0}, places[i], &loads))
			for (size_t k = 0; k < loads.nr; k++)
				assert(*loads.v[k].name && strlen(loads.v[k].name) <= size &&
				       loads.v[k].start <= places[i]);
		vec_done(&loads);
	}
	perfmap_free(m);
	return 0;
}
