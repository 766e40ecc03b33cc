/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/probe_place.h"
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/arch/instruction.h"

#define MAX_INTO (1 << 20)

bool probe_place_begins(int fd, uint64_t offset, uint64_t into)
{
	_cleanup_(freep) uint8_t *code = into <= MAX_INTO ? calloc(1, into + INSTRUCTION_ROOM) : NULL;
	uint64_t at = 0;

	if (!code || pread(fd, code, into, (off_t)offset) != (ssize_t)into)
		return false;
	while (at < into) {
		size_t bytes = instruction_bytes(code + at);

		if (!bytes)
			return false;
		at += bytes;
	}
	return at == into;
}
