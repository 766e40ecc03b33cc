/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The page: the viewer of dusk flame without data, which it asks us for. */
#pragma once
#include <stddef.h>

struct page {
	char *text;
	size_t bytes;
	char etag[24]; /* changes with the text */
};

/* Make the page. Free @ret with page_done(). Returns 0 or -ENOMEM. */
int page_init(struct page *ret);
void page_done(struct page *p);
