/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of kallsyms on any text, and the demangler on each of the names in it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/demangle.h"
#include "lib/symbols/ksyms.h"

static void find_around(const struct ksyms *k, uint64_t address)
{
	const char *module = NULL, *name;
	uint64_t start = 0;

	name = ksyms_find(k, address, &start, &module);
	if (!name)
		return;
	assert(*name && module && start <= address);
	free(demangle(name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct ksyms *k;

	memcpy(text, data, size);
	text[size] = 0;
	if (ksyms_parse(&k, text, size))
		return 0;
	for (uint64_t address = 0xffffffff81000000; address < 0xffffffff81002000; address += 0x80)
		find_around(k, address);
	find_around(k, 0);
	find_around(k, UINT64_MAX);
	ksyms_free(k);
	return 0;
}
