/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write the data of the page: JSON and columns, which viewer/data.js reads.
 *
 *	{
 *	  "format": 2,
 *	  "title": the page's heading,
 *	  "note": a sentence that says which samples were merged into rows,
 *	  "profiles": [one, or two to compare: {
 *	    "name", "period_ns", "finished", "live", "symbolized", "samples",
 *	    "bucket_ns", "buckets": the length of a bucket of time, and their number,
 *	    "threads": the number of entries in the thread columns that belong to this profile,
 *	    "settings": [[key, value]], "outcomes": [{...}], "counters": [{...}]
 *	  }],
 *	  "series": [the samples of one kind in one profile: {
 *	    "profile": 0 or 1, "kind": "cpu", "title": "on CPU", "unit_ns": the time of weight 1,
 *	    "rows", "samples", "weight"
 *	  }],
 *	  "others": [[kind, title]]: what was recorded, too, but is not here
 *	  "modules": [], "files": [], "comms": [], "titles": [of processes], "names": [of each label],
 *	  "columns": [[name, delta, numbers, bytes]]
 *	}
 *
 *	label.module .kind	a label is a function in a module; labels are in the order of their names
 *	node.depth .label	the tree, in pre-order, siblings in the order of labels; 0 is the root
 *	place.node .file .line .samples	the source lines of nodes; at most four each, the most frequent first
 *	thread.pid .tid .comm .title	.title: a number of titles, from 1; 0: the process has none
 *	N.thread .bucket .rows		groups of rows of series N: those of one thread in one bucket of time
 *	N.node .samples .weight		the rows; .weight is left out if it is the number of samples
 *	N.longest			of rows off CPU: the longest off-CPU interval, which is counted in the bucket where it ended; of
 *					sums the mean
 *
 * To add another kind of samples, add a series.
 */
#pragma once
#include "report/flame/flame.h"
#include "report/flame/flame_columns.h"

struct flame_data {
	char *json; /* ends with a newline */
	size_t json_bytes;
	struct columns columns;
};

/* Make the data of @page. Free @ret with flame_data_done() in any case. Returns 0 or -ENOMEM. */
int flame_data_init(struct flame_data *ret, const struct flame_page *page);
void flame_data_done(struct flame_data *d);
