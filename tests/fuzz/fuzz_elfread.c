/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any file as ELF with debug information: whatever becomes of the child that reads it, we live, and get no
 * nonsense.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/symbols/elfread.h"

#define NR 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symfile_place places[SYMFILE_PLACES];
	struct symfile *s = symfile_new();
	uint64_t offsets[NR];
	struct elfread e = {.fd = memfd_create("elf", MFD_CLOEXEC),
			    .path = "/nowhere/elf",
			    .offsets = offsets,
			    .nr = NR,
			    .lines = true};

	assert(e.fd >= 0 && write(e.fd, data, size) == (ssize_t)size);
	for (size_t i = 0; i < NR; i++)
		offsets[i] = 0x1000 + i * 8;
	assert(!elfread(s, &e));
	for (size_t i = 0; i < NR; i++) {
		uint64_t address, start;

		if (symfile_address(s, offsets[i], &address))
			continue;
		assert(!symfile_find(s, address, &start) || start <= address);
		assert(symfile_places(s, address, places) <= SYMFILE_PLACES);
		/* Each unit that was asked for is there if the child came to its end. */
		assert(!symfile_end(s) || !symfile_lacks(s, address));
	}
	symfile_free(s);
	close(e.fd);
	return 0;
}
