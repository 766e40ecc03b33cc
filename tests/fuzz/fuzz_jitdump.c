/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of JIT dumps on any bytes: what is found lies where it was looked for, and nothing else at the same time. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/process/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct jitdump *j, uint64_t place, size_t size)
{
	struct code_loads loads = {0};
	struct code_lives lives = {0};

	if (!jitdump_loads(j, place, &loads) && !code_lives_find(&lives, &loads))
		for (size_t i = 0; i < lives.nr; i++) {
			const struct code_life *l = &lives.v[i];

			assert(*l->name && strlen(l->name) <= size && l->start <= place && l->from_ns < l->to_ns);
			assert(!i || lives.v[i - 1].to_ns <= l->from_ns);
		}
	vec_done(&lives);
	vec_done(&loads);
}

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
		check(j, places[i], size);
	jitdump_free(j);
	return 0;
}
