/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a confined process (confined.h) writes about the code of a function. The reader checks all of it. */
#pragma once
#include <stdint.h>
#include <dusk/dusk.h>

#define CODE_MAGIC 0x316f6464
#define CODE_MAX_BYTES (16 << 20) /* per function */

struct code_wanted {
	int fd; /* the file, borrowed */
	const char *path;
	uint64_t start; /* link-time address */
};

/*
 * The output: this header, the lines sorted by address, with files as indexes of the names that follow, each with a 0
 * byte.
 */
struct code_head {
	uint32_t magic;
	int32_t error; /* 0, or why there is nothing: -ENODATA, -ENOEXEC, ... */
	uint64_t end;  /* address */
	uint64_t name_bytes;
	uint32_t nr_lines, nr_files;
};

/* In the confined process: write the output to @out. Returns 0 or a negative errno. */
int code_write(const struct code_wanted *wanted, int out);
