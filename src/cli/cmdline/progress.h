/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Show the progress of a recording: a line on stderr, and messages about walks that are stuck. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <dusk/dusk.h>

#define LIVE_MAX_STUCK 64

struct live {
	bool line; /* stderr is a terminal, and --quiet was not given */
	bool quiet;
	bool shown;
	double start_s, next_s, next_stuck_s;
	pid_t reported[LIVE_MAX_STUCK];
	size_t nr_reported;
};

/* Say on a terminal that the recording is being prepared, which takes a second or more. */
void live_load(struct live *l, bool quiet);

/* The recording runs. */
void live_begin(struct live *l);

/* Update the line if it is due. Must be called often. */
void live_step(struct live *l, const struct dusk_record *r);
/* Erase the line. */
void live_end(struct live *l);

/* Return how many samples, off-CPU intervals and occurrences there are. */
uint64_t live_rows(const struct dusk_record *r);
