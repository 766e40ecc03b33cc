/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files that read a profile share. See read.c. */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/profile/sums/pack.h"
#include "lib/profile/read/columns.h"
#include "lib/profile/file/open.h"
#include "lib/profile/read/read.h"

struct reader {
	struct profile_file file;
	struct dusk_profile *p;
	struct strings *strings;

	/* The table that is being read: */
	sqlite3_stmt *stmt;
	const char *table;
	int64_t id;
	bool damaged;
	const struct pack *block; /* the packed rows that are being read, instead of @stmt; or NULL */
	uint32_t row;		  /* of @block */
	bool packed;		  /* the file has packed rows */
	struct profile_cursor from, to, reached;

	struct vec(const char *) images, sources;
	PROFILE_COLUMNS(PROFILE_COLUMN_MEMBER)
	struct vec(uint32_t) titled;   /* threads with a row of title */
	struct vec(int64_t) intervals; /* ids of the last elements of @samples */
	size_t woken;		       /* index in @intervals from which to look for the next waker's */
	struct vec(uint32_t) counted;  /* the counter of each row of "counted", from 1 */
	struct map counter_numbers;    /* by the address of the name, which is in @strings once */
};

/* Return the integer in this column, which must be at most @max; NULL counts as @fallback. What cannot be sets @r->damaged. */
uint64_t reader_number_or(struct reader *r, int column, uint64_t max, uint64_t fallback);

/* Like reader_number_or(), but NULL is damage. */
uint64_t reader_number(struct reader *r, int column, uint64_t max);

/* Return the text in this column. NULL counts as @fallback, and is damage if @fallback is NULL. */
const char *reader_text_or(struct reader *r, int column, const char *fallback);

/* Read the row of the table of that name. They return 0 or -ENOMEM; what is wrong sets @r->damaged. */
int reader_setting(struct reader *r);
int reader_module(struct reader *r);
int reader_image(struct reader *r);
int reader_function(struct reader *r);
int reader_frame(struct reader *r);
int reader_source(struct reader *r);
int reader_line(struct reader *r);
int reader_node(struct reader *r);
int reader_cgroup(struct reader *r);
int reader_thread(struct reader *r);
int reader_title(struct reader *r);
int reader_outcome(struct reader *r);
int reader_counter(struct reader *r);
int reader_counted(struct reader *r);
int reader_window_count(struct reader *r);
int reader_sample(struct reader *r);
int reader_window(struct reader *r);
int reader_interval(struct reader *r);
int reader_waker(struct reader *r);
int reader_event(struct reader *r);
int reader_occurrence(struct reader *r);
int reader_thread_times(struct reader *r);

/* All rows are read: what is known of a process holds for its later threads. Returns 0, or -ENOMEM after it has said so. */
int reader_spread_titles(struct reader *r);

/* All rows are read: put samples and occurrences in the order of their times. Returns 0, or -ENOMEM after it has said so. */
int reader_sort(struct reader *r);
