/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A USDT probe: what a note of .note.stapsdt says of it (systemtap's UserSpaceProbeImplementation). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAPSDT_TYPE 3
#define STAPSDT_NAME_BYTES 256
#define STAPSDT_ARGUMENTS_BYTES 1024

struct stapsdt {
	uint64_t address, base, semaphore; /* link-time; @base: where .stapsdt.base was, then */
	char provider[STAPSDT_NAME_BYTES], name[STAPSDT_NAME_BYTES];
	char arguments[STAPSDT_ARGUMENTS_BYTES]; /* "8@%rdi -4@$5" */
};

/*
 * Read the description of such a note, @bytes bytes of whoever made the file. @is_64: it is a file of 64 bits.
 * Returns 0, or -EBADMSG: it is cut, a text is too long, or a name is no name.
 */
int stapsdt_read(struct stapsdt *ret, const void *description, size_t bytes, bool is_64);
