/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which build of a file is this? Read here, not in a confined process: it is asked of each file before it is read. */
#pragma once
#include <stddef.h>

/*
 * The build id of the ELF file in @fd, in hexadecimal, to @ret, which has room for @room bytes; "" if it has none in its
 * first notes. -ENOEXEC: no ELF file of this machine's byte order.
 */
int buildid_read(char *ret, size_t room, int fd);
