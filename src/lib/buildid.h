/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the build id of an ELF file. In the caller's process, not in a confined one: it is needed before a file is read.
 */
#pragma once
#include <stddef.h>

#define BUILDID_MAX_BYTES 64
#define BUILDID_TEXT_BYTES (2 * BUILDID_MAX_BYTES + 1)

/* Write @bytes bytes at @id in hexadecimal to @ret, which has room for 2 * @bytes + 1 bytes. */
void buildid_hex(char *ret, const void *id, size_t bytes);

/*
 * Write the build id of the ELF file @fd in hexadecimal to @ret, which has room for @room bytes; "" if its first notes
 * have none.
 * Returns 0, or -ENOEXEC if it is not an ELF file in this machine's byte order.
 */
int buildid_read(char *ret, size_t room, int fd);
