/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Divide the time of a profile into parts of a length that people count in: 1, 2, 5, 10, 30 seconds, a minute, ... */
#pragma once
#include <dusk/dusk.h>

struct time_buckets {
	uint64_t start_ns; /* of the profile: by CLOCK_REALTIME since 1970; 0: not known */
	uint64_t length_ns;
};

/* How long @p's windows are; 0: it has none. Of shorter buckets, most would be empty. */
uint64_t time_bucket_window_ns(const struct dusk_profile *p);

/* As many buckets for @p's samples as there can be, up to 100, not shorter than its windows. They begin at multiples of their length. */
struct time_buckets time_buckets_of(const struct dusk_profile *p);

/*
 * The longest time over which sums may be added up so that @span_ns still has 100 parts, and each bucket that time_buckets_of()
 * can choose for it has some of these parts as a whole. 0: there is no such time.
 */
uint64_t time_bucket_part_ns(uint64_t span_ns);

/* When the bucket of @s begins, in nanoseconds since 1970, or since the recording began if its start is not known. */
uint64_t time_bucket(const struct time_buckets *b, const struct dusk_sample *s);

/* That time in a form in which a store is asked for it: 2026-11-24T03:12:00Z; without a start: seconds, 12.5. */
#define TIME_BUCKET_ROOM 32
void time_bucket_text(const struct time_buckets *b, uint64_t begin_ns, char ret[TIME_BUCKET_ROOM]);
