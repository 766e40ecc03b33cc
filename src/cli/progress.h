/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does the user see while a recording runs? One line, and a word about walks that are stuck. */
#pragma once
#include <stdbool.h>
#include <dusk/dusk.h>

#define LIVE_MAX_STUCK 64

struct live {
	bool line; /* stderr is a terminal, and nobody wants silence */
	bool quiet;
	bool shown;
	double start_s, next_s, next_stuck_s;
	pid_t reported[LIVE_MAX_STUCK];
	size_t nr_reported;
};

void live_begin(struct live *l, bool quiet);

/* Bring the line up to date, now and then. */
void live_step(struct live *l, const struct dusk_record *r);
void live_end(struct live *l);
