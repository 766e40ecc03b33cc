/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What do profiles look like in a browser? */
#pragma once
#include <stdio.h>

#include <dusk/dusk.h>

struct flame_page {
	const char *title; /* heads the page */
	uint32_t nr;	   /* 1; 2: the second is compared with the first */
	const struct dusk_profile *profile[2];
	const char *name[2]; /* of the files */
};

/*
 * Write @page to @out as one HTML file that needs nothing else: data, viewer and style are inside, and its content
 * security policy allows neither a request nor any script but its own. Names need not be trusted, nor be UTF-8; those
 * of more than 1000 bytes are cut. 0, -ENOMEM, or why @out could not be written (-ENOSPC, ...); @out is flushed, not
 * closed.
 */
int flame_write(FILE *out, const struct flame_page *page);
