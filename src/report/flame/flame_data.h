/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is in the page besides its viewer? The JSON and the columns; viewer/data.js reads them.
 *
 *	{
 *	  "format": 2,
 *	  "title": what heads the page,
 *	  "note": what was put together so that the page is small, in words,
 *	  "profiles": [one, or two to compare: {
 *	    "name", "period_ns", "finished", "symbolized", "samples",
 *	    "bucket_ns", "buckets": time is cut into so many pieces of that length,
 *	    "threads": how many of the thread columns are of this profile,
 *	    "settings": [[key, value]], "outcomes": [{...}], "counters": [{...}]
 *	  }],
 *	  "series": [the samples of one kind in one profile: {
 *	    "profile": 0 or 1, "kind": "cpu", "title": "on CPU", "unit_ns": what a weight of 1 is, "rows", "samples", "weight"
 *	  }],
 *	  "modules": [], "files": [], "comms": [], "names": [of each label],
 *	  "columns": [[name, delta, numbers, bytes]]
 *	}
 *
 *	label.module .kind	a label is a function in a module; labels are in the order of their names
 *	node.depth .label	the tree, in pre-order, siblings in the order of labels; 0 is the root
 *	place.node .file .line .samples	where nodes are in the source; at most four each, the most frequent first
 *	thread.pid .tid .comm
 *	N.thread .bucket .rows		groups of rows of series N: all that a thread had in a bucket of time
 *	N.node .samples .weight		the rows; without weight if it is the number of samples
 *
 * Another kind of samples is one more series.
 */
#pragma once
#include "report/flame/flame.h"
#include "report/flame/flame_columns.h"

struct flame_data {
	char *json; /* ends with a newline */
	size_t json_bytes;
	struct columns columns;
};

/* 0 or -ENOMEM; @ret is to be freed with flame_data_done() in either case. */
int flame_data_init(struct flame_data *ret, const struct flame_page *page);
void flame_data_done(struct flame_data *d);
