/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A note of .note.stapsdt of any bytes: names are names, and each operand becomes a fetch of a few characters, or is refused. The
 * input: a byte that chooses the class, and the description.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/record/probe_arguments.h"
#include "lib/symbols/stapsdt.h"

#define MAX_ARGUMENTS 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* It goes into a line that tracefs reads: no blank, no other argument. */
static void check_fetch(const char *text, const char *type)
{
	assert(*text && strspn(text, "%\\+-()0123456789abcdefghijklmnopqrstuvwxyz") == strlen(text));
	assert((*type == 'u' || *type == 's') && strspn(type + 1, "123468") == strlen(type) - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char fetch[64], type[8];
	struct stapsdt s;
	int err = 0;

	if (!size || stapsdt_read(&s, data + 1, size - 1, data[0] & 1))
		return 0;
	assert(*s.provider && *s.name && !strpbrk(s.provider, " :\n") && !strpbrk(s.name, " :\n"));
	assert(strlen(s.arguments) < STAPSDT_ARGUMENTS_BYTES);
	for (unsigned int n = 1; n < MAX_ARGUMENTS && err != -ENOENT; n++) {
		err = usdt_argument(fetch, sizeof(fetch), type, s.arguments, n);
		assert(!err || err == -ENOENT || err == -EOPNOTSUPP);
		if (!err)
			check_fetch(fetch, type);
	}
	return 0;
}
