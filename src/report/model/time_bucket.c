/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Divide the time of a profile into parts. See time_bucket.h. */
#include <stdio.h>
#include <time.h>
#include "report/model/setting.h"
#include "report/model/time_bucket.h"

#define MAX_BUCKETS 100
#define NS_A_MS 1000000ULL
#define NS_A_S 1000000000ULL

/* From a millisecond to a day; longer ones are that, doubled. */
static const uint32_t lengths_ms[] = {
	1,     2,     5,     10,     20,     50,     100,     200,     500,	1000,	  2000,	    5000,
	10000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000, 7200000, 21600000, 43200000, 86400000,
};
#define NR_LENGTHS (sizeof(lengths_ms) / sizeof(lengths_ms[0]))

uint64_t time_bucket_window_ns(const struct dusk_profile *p)
{
	return setting_u64(p, "window_ns");
}

struct time_buckets time_buckets_of(const struct dusk_profile *p)
{
	struct time_buckets b = {.start_ns = dusk_profile_start_ns(p)};
	uint64_t window_ns = time_bucket_window_ns(p);
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		first_ns = p->samples[i].time_ns < first_ns ? p->samples[i].time_ns : first_ns;
		last_ns = p->samples[i].time_ns > last_ns ? p->samples[i].time_ns : last_ns;
	}
	for (size_t i = 0; i < NR_LENGTHS; i++) {
		b.length_ns = lengths_ms[i] * NS_A_MS;
		if (b.length_ns < window_ns) /* of shorter buckets, most would be empty */
			continue;
		if (first_ns > last_ns || (last_ns - first_ns) / b.length_ns + 2 <= MAX_BUCKETS)
			return b;
	}
	while ((last_ns - first_ns) / b.length_ns + 2 > MAX_BUCKETS)
		b.length_ns *= 2;
	return b;
}

static bool divides_longer_ones(size_t i)
{
	for (size_t longer = i + 1; longer < NR_LENGTHS; longer++)
		if (lengths_ms[longer] % lengths_ms[i])
			return false;
	return true;
}

uint64_t time_bucket_part_ns(uint64_t span_ns)
{
	for (size_t i = NR_LENGTHS; i-- > 0;)
		if (span_ns / (lengths_ms[i] * NS_A_MS) >= MAX_BUCKETS && divides_longer_ones(i))
			return lengths_ms[i] * NS_A_MS;
	return 0;
}

uint64_t time_bucket(const struct time_buckets *b, const struct dusk_sample *s)
{
	uint64_t ns = b->start_ns + s->time_ns;

	return ns - ns % b->length_ns;
}

void time_bucket_text(const struct time_buckets *b, uint64_t begin_ns, char ret[TIME_BUCKET_ROOM])
{
	time_t s = begin_ns / NS_A_S;
	unsigned int ms = begin_ns % NS_A_S / NS_A_MS % 1000;
	char seconds[21];
	struct tm tm;

	if (!b->start_ns) {
		snprintf(ret, TIME_BUCKET_ROOM, "%llu.%03u", begin_ns / NS_A_S, ms);
		return;
	}
	if (!gmtime_r(&s, &tm) || !strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &tm))
		*seconds = 0;
	if (b->length_ns < NS_A_S)
		snprintf(ret, TIME_BUCKET_ROOM, "%s.%03uZ", seconds, ms);
	else
		snprintf(ret, TIME_BUCKET_ROOM, "%sZ", seconds);
}
