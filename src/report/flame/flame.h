/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write profiles as flame graphs for a browser. */
#pragma once
#include <stdio.h>

#include <dusk/dusk.h>
#include "report/model/thread_label.h"

struct flame_page {
	const char *title; /* the page's heading */
	uint32_t nr;	   /* of profiles: 1, or 2 to compare the second with the first */
	const struct dusk_profile *profile[2];
	const char *name[2];	 /* of the files */
	struct thread_labels by; /* stacks begin with these */
	unsigned int others;	 /* set of enum dusk_source: what was recorded, too, but is not in the profiles */
};

/*
 * Write @page to @out as one self-contained HTML file: data, viewer and style are inside, and its content security
 * policy allows no requests and no script but its own. Names need not be trusted or valid UTF-8; those longer than 1000
 * bytes are cut. @out is flushed, not closed.
 * Returns 0, -ENOMEM, or the error of writing @out (-ENOSPC, ...).
 */
int flame_write(FILE *out, const struct flame_page *page);

/* Write only the data of @page, as gzip: what a viewer that is served by itself asks for. Returns as flame_write() does. */
int flame_write_data(FILE *out, const struct flame_page *page);
