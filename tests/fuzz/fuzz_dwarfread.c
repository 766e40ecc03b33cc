/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a confined process does with an ELF file and its debug information, in this process: what it writes, its parent
 * takes to the end, unless it says that something is wrong.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "lib/symbols/elfread.h"

#define MAX_OUTPUT_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t offsets[] = {0, 0x40, 0x1000, 0x1139, 0x1140, 0x2000};
	struct elfread e = {
		.fd = memfd_create("elf", MFD_CLOEXEC),
		.path = "/nowhere/elf",
		.offsets = offsets,
		.nr = sizeof(offsets) / sizeof(offsets[0]),
		.lines = true,
		.no_servers = true,
	};
	int out = memfd_create("out", MFD_CLOEXEC);
	struct symfile *known = symfile_new(), *s = symfile_new();
	char *text = NULL;
	size_t bytes;

	assert(e.fd >= 0 && out >= 0 && known && s);
	assert(write(e.fd, data, size) == (ssize_t)size);
	if (!elfread_write(known, &e, out)) {
		lseek(out, 0, SEEK_SET);
		assert(!file_read_fd(&text, &bytes, out, MAX_OUTPUT_BYTES));
		assert(symfile_take(s, text, bytes) == (ssize_t)bytes);
		assert(symfile_end(s));
	}
	free(text);
	symfile_free(known);
	symfile_free(s);
	close(e.fd);
	close(out);
	return 0;
}
