/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which build of a file is this? Read here, not in a confined process: it is asked of each file before it is read. */
#pragma once
#include <stddef.h>

#define BUILDID_MAX_BYTES 64
#define BUILDID_TEXT_BYTES (2 * BUILDID_MAX_BYTES + 1)

/* @bytes bytes at @id in hexadecimal, to @ret, which has room for twice as many and a 0 byte. */
void buildid_hex(char *ret, const void *id, size_t bytes);

/*
 * The build id of the ELF file in @fd, in hexadecimal, to @ret, which has room for @room bytes; "" if it has none in
 * its first notes. -ENOEXEC: no ELF file of this machine's byte order.
 */
int buildid_read(char *ret, size_t room, int fd);
