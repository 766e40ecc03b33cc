/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows of time: in place of its samples, a profile has their sums by thread, stack and outcome, a block of rows for
 * each window (window_block.h).
 */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"
#include "lib/profile/sums/window_block.h"

/* All-zero: there are no windows, and samples are written one by one. */
struct windows {
	uint64_t length_ns;
	uint64_t start_ns; /* of the open window */
	struct vec(struct block_row) rows;
};

/* Does the open window take @s? Off-CPU intervals that have a time of their own are written one by one. */
bool windows_sums(const struct windows *w, const struct dusk_sample *s);

/* Add @s to the open window. Returns 0 or -ENOMEM. */
int windows_add(struct windows *w, const struct dusk_sample *s);

/* Has the open window as many rows as fit into one block? Then windows_encode() is next. */
bool windows_are_full(const struct windows *w);

/*
 * Encode what was added to the open window, which stays open without it. Times are rounded down to microseconds.
 * Returns as block_encode().
 */
int windows_encode(struct windows *w, uint8_t **ret, size_t *ret_len);

void windows_done(struct windows *w);

/* The sum that @row is of, but for its time and period. Returns false if it has a value that cannot be. */
bool window_sample(const struct block_row *row, struct dusk_sample *ret);
