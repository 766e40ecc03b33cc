/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data of an ELF file as they are in memory, at their link-time addresses: those of a Go program refer to each other. */
#pragma once
#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct go_segment {
	uint64_t address;
	const char *data;
	size_t bytes;
	char *own; /* a copy with its relocations applied; or NULL */
};

struct go_image {
	struct vec(struct go_segment) segments;
};

/* Read the data of @elf, which must live as long as @ret. Returns 0 or -ENOMEM; free @ret with go_image_done() in both cases. */
int go_image_read(struct go_image *ret, Elf *elf);
void go_image_done(struct go_image *image);

/* Return the segment with @address, or NULL. */
const struct go_segment *go_image_segment(const struct go_image *image, uint64_t address);

/* Return the @bytes bytes at @address, or NULL if they are not in the file. */
const void *go_image_at(const struct go_image *image, uint64_t address, size_t bytes);
