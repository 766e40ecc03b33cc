/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Split the frames of code that was several functions, one after the other, by the times of what was sampled.
 *
 * A frame is a place in a module, and has one function. Where memory is used again, the function depends on the time; so each
 * function gets a frame of its own, in a module that differs by its generation only, and stacks follow. The frame that was
 * there keeps what cannot be said: it has no function.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"
#include "lib/profile/write/write.h"

/* The code of @frame was @function from @from_ns until before @to_ns of the recording. */
struct era {
	uint64_t from_ns, to_ns; /* @from_ns must be first: rank_of() */
	uint32_t frame, function, function_offset;
	bool is_first; /* nothing else is known of the time before */
};

struct eras vec(struct era); /* those of one frame in the order of time */

/* The length of the windows of @p, or 0. */
uint64_t eras_window_ns(const struct dusk_profile *p);

/*
 * Set from when to when, in nanoseconds of the recording, what @s stands for was seen: a sum stands for samples of some time.
 */
void eras_span(uint64_t window_ns, const struct dusk_sample *s, uint64_t *from_ns, uint64_t *to_ns);

/*
 * Split the frames of @eras in @p, which profile_read_so_far() has read from @w, and in what @w has written.
 * Returns 0 or a negative errno; then profile_save_names() must not follow.
 */
int eras_split(const struct eras *eras, struct dusk_profile *p, struct profile_writer *w, struct dusk_error *err);
