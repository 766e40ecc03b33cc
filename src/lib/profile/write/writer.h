/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files that write a profile share. See write.h. */
#pragma once
#include "base/keys.h"
#include "base/map.h"
#include "base/strings.h"
#include "lib/profile/file/db.h"
#include "lib/profile/file/fdvfs.h"
#include "lib/profile/file/place.h"
#include "lib/profile/write/write.h"
#include "lib/profile/sums/window_counts.h"
#include "lib/profile/sums/windows.h"

/* What is run so often that it is prepared once. */
enum statement {
	BEGIN,
	COMMIT,
	SETTING,
	MODULE,
	MODULE_UPDATE,
	FRAME,
	NODE,
	THREAD,
	SAMPLE,
	INTERVAL,
	WAKER,
	THREAD_TIMES,
	COUNTER,
	PAGES,
	NR_STATEMENTS
};

/* What code.c runs. */
enum code_statement { CODE_IMAGE, CODE_FUNCTION, CODE_SOURCE, CODE_LINE, CODE_FRAME, NR_CODE_STATEMENTS };

/* An interval with a waker, of which one was written and the other is to come. */
struct interval_half {
	uint64_t number, id; /* id: of the interval's row; 0: it is to come */
	struct dusk_waker by;
	bool has_waker, paired;
};

struct profile_writer {
	struct place place;
	struct fdvfs vfs;
	sqlite3 *db;
	sqlite3_stmt *stmt[NR_STATEMENTS];
	sqlite3_stmt *weighed;			  /* inserts a sample with a value of its own; NULL: none so far */
	sqlite3_stmt *event, *occurrence;	  /* NULL: none so far */
	sqlite3_stmt *title, *cgroup, *of_thread; /* likewise */
	sqlite3_stmt *window, *counted, *window_count;
	bool in_transaction, committed; /* once at least */
	int error;			/* the first one, sticky */
	struct dusk_error why;

	struct windows windows;
	struct window_counts counts; /* of the open window */
	uint32_t nr_counted;
	struct map modules; /* index of the content in @contents -> module */
	struct strings contents;
	struct keys frames, nodes, threads; /* struct frame_key, struct dusk_node, struct thread_key; numbered from 0 */
	uint32_t nodes_written;		    /* to blocks, if there are windows */
	struct strings cgroups;
	uint32_t nr_modules, nr_events;
	uint64_t nr_intervals; /* numbers given out */
	struct map unpaired;   /* number of an interval -> index in @halves */
	struct vec(struct interval_half) halves;
	uint64_t nr_paired; /* of these */
	struct {
		sqlite3_stmt *stmt[NR_CODE_STATEMENTS];	   /* NULL: none so far */
		struct strings images, functions, sources; /* numbers are those of their rows, less 1 */
		uint64_t nr_lines;
	} code;		 /* of interpreted languages */
	uint64_t nr_cut; /* texts, since the last commit */
};

void writer_bind_sample(sqlite3_stmt *stmt, const struct dusk_sample *s);

/* Write an off-CPU interval. Returns its id; 0: there was an error. */
uint64_t writer_interval(struct profile_writer *w, const struct dusk_sample *s);

/* Keep the first error. @rc is an SQLite code; 0: there is none. */
void writer_fail_db(struct profile_writer *w, int rc);
void writer_fail_memory(struct profile_writer *w);

/* Return the statement, in a transaction, or NULL after an error. */
sqlite3_stmt *writer_begin(struct profile_writer *w, enum statement which);
void writer_run(struct profile_writer *w, sqlite3_stmt *stmt);

/*
 * Bind a value as readers take it, who refuse what is larger: text that the caller keeps until the statement has run, cut and counted
 * as db_bind_name() does, where "" is NULL; a name, of which none is ""; a time or duration; a process.
 */
void writer_bind_text(struct profile_writer *w, sqlite3_stmt *stmt, int column, const char *text);
void writer_bind_name(struct profile_writer *w, sqlite3_stmt *stmt, int column, const char *name);
void writer_bind_ns(sqlite3_stmt *stmt, int column, uint64_t ns);
void writer_bind_pid(sqlite3_stmt *stmt, int column, pid_t pid);

/* Write the nodes that are new as a block, in a transaction of the caller. Returns an SQLite code. */
int writer_pack_nodes(struct profile_writer *w);

/* The recording is over, and has been committed: if it has windows, pack what they refer to. Otherwise it stays as it is. */
void writer_pack(struct profile_writer *w);

/* Free the statements of code.c; and the rest of what it has. */
void writer_finalize_code(struct profile_writer *w);
void writer_code_done(struct profile_writer *w);

/* Write what the open window has. */
void writer_end_window(struct profile_writer *w);

/* Add @s to the open window. */
void writer_add_to_window(struct profile_writer *w, const struct dusk_sample *s);
