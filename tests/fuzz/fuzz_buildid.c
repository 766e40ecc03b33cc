/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reader of build ids on any file: what it finds is hexadecimal, and fits. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/buildid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	size_t room = size % 3 ? 129 : 41;
	char id[129] = "";

	assert(write(fd, data, size) == (ssize_t)size);
	buildid_read(id, room, fd);
	assert(strlen(id) < room && strspn(id, "0123456789abcdef") == strlen(id) && strlen(id) % 2 == 0);
	close(fd);
	return 0;
}
