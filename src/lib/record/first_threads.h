/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads that a recording without BPF begins with, where it is not of the whole machine. */
#pragma once
#include "base/procs.h"
#include "lib/copied/source.h"

/* All-zero is the whole machine. */
struct first_threads {
	struct pids pids; /* processes whose mappings are needed */
	size_t nr_whole;  /* the first ones of them are recorded with all their threads */
	struct pids tids; /* and these threads alone */
	bool only;	  /* nothing that they create */
};

/*
 * Open the events @so for the threads that @o asks for, with all that their processes have created, and keep in @f which
 * these are, to be ended with first_threads_done() in any case.
 * Returns 0; -ESRCH: there is no such process or thread; -ENOMEM; others of source_new().
 */
int first_threads_open(struct perf_source **ret, struct first_threads *f, const struct dusk_record_options *o,
		       struct source_options *so, struct dusk_error *err);

/* Append to @ret the threads that are recorded and live, as far as /proc shows them. Returns 0 or a negative errno. */
int first_threads_list(const struct first_threads *f, struct pids *ret);

/* Append to @ret the processes whose mappings are needed. Returns 0 or a negative errno. */
int first_threads_processes(const struct first_threads *f, struct pids *ret);
void first_threads_done(struct first_threads *f);
