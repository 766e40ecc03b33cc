/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Merge the samples of a flame graph by thread and bucket of time. See flame_rows.h. */
#include <errno.h>
#include <stdlib.h>
#include "report/flame/flame_rows.h"
#include "report/model/time_bucket.h"

#define SPREAD_MAX (8 * ROWS_MAX)

/* 1, 2, 5, 10, 20, 50, ... */
static uint64_t next_step(uint64_t ns)
{
	uint64_t power = 1;

	while (ns / power >= 10)
		power *= 10;
	return ns / power == 2 ? 5 * power : 2 * ns;
}

/* How long before the recording the first bucket begins. */
static uint64_t early_ns(const struct dusk_profile *p, uint64_t bucket_ns)
{
	return time_bucket_window_ns(p) ? dusk_profile_start_ns(p) % bucket_ns : 0;
}

static uint64_t count_buckets(const struct dusk_profile *p, uint64_t bucket_ns)
{
	return p->nr_samples ? (p->samples[p->nr_samples - 1].time_ns + early_ns(p, bucket_ns)) / bucket_ns + 1 : 0;
}

#define ORDER(x, y)     \
	if ((x) != (y)) \
	return (x) < (y) ? -1 : 1

static int compare_rows(const void *a, const void *b)
{
	const struct flame_row *x = a, *y = b;

	ORDER(x->source, y->source);
	ORDER(x->thread, y->thread);
	ORDER(x->bucket, y->bucket);
	ORDER(x->node, y->node);
	return 0;
}

/* Add to the row of that source, thread, bucket and node. */
static int add_row(struct flame_rows *r, const struct dusk_sample *s, uint32_t rank, uint32_t bucket, uint32_t count,
		   uint64_t ns)
{
	const uint32_t key[] = {s->source, s->thread, bucket, rank};
	uint64_t longest_ns = s->source == DUSK_OFF_CPU && count ? s->value_ns / count : 0;
	struct flame_row *row;
	uint32_t number;
	bool fresh;

	r->nr_added++;
	if (keys_number(&r->known, key, sizeof(key), &number, &fresh))
		return -ENOMEM;
	if (fresh)
		return vec_push(&r->v, ((struct flame_row){s->source, rank, s->thread, bucket, count, ns, longest_ns}));
	row = &r->v.v[number];
	row->samples += count;
	row->weight_ns += ns;
	if (longest_ns > row->longest_ns)
		row->longest_ns = longest_ns;
	return 0;
}

/*
 * An off-CPU interval adds to each bucket the part of its time that lies there, and is counted in the last one. Off-CPU
 * intervals of a thread do not overlap, so there are usually not many more rows than threads times buckets. Once there
 * are SPREAD_MAX parts, the rest of an interval's time is added to its last bucket. A sum is as many intervals of the mean
 * length, and those that fit into a bucket are in that of their window.
 */
static int add_interval(struct flame_rows *r, const struct dusk_sample *s, uint32_t rank)
{
	bool sum = s->cpu == DUSK_NO_CPU && s->count;
	uint64_t nr = sum ? s->count : 1, length_ns = s->value_ns / nr, left_ns = s->value_ns;
	uint64_t time_ns = s->time_ns + r->early_ns;
	uint64_t from_ns = length_ns < s->time_ns ? time_ns - length_ns : r->early_ns;
	uint32_t last = time_ns / r->bucket_ns;
	uint32_t bucket = sum && length_ns <= r->bucket_ns ? last : from_ns / r->bucket_ns;

	for (; bucket < last && r->nr_added < SPREAD_MAX; bucket++) {
		uint64_t ns = (bucket + 1) * r->bucket_ns - from_ns;

		if (add_row(r, s, rank, bucket, 0, ns * nr))
			return -ENOMEM;
		from_ns += ns;
		left_ns -= ns * nr;
	}
	return add_row(r, s, rank, last, s->count, left_ns);
}

/* May buckets be longer? */
static bool may_be_longer(const struct flame_rows *r, const struct dusk_profile *p)
{
	return count_buckets(p, next_step(r->bucket_ns)) >= BUCKETS_MIN;
}

/* Make the rows of all samples, or of as many as show that there are too many. */
static int make_rows(struct flame_rows *r, const struct dusk_profile *p, const uint32_t *rank)
{
	size_t most = may_be_longer(r, p) ? ROWS_MAX : SIZE_MAX;

	keys_done(&r->known);
	r->v.nr = r->nr_added = 0;
	r->nr_buckets = count_buckets(p, r->bucket_ns);
	r->early_ns = early_ns(p, r->bucket_ns);
	for (uint64_t i = 0; i < p->nr_samples && r->v.nr <= most; i++) {
		const struct dusk_sample *s = &p->samples[i];
		uint64_t weight = s->source == DUSK_EVENT ? s->count : s->value_ns;
		int err = s->source == DUSK_OFF_CPU
				  ? add_interval(r, s, rank[i])
				  : add_row(r, s, rank[i], (s->time_ns + r->early_ns) / r->bucket_ns, s->count, weight);

		if (err)
			return err;
	}
	return 0;
}

int flame_rows_init(struct flame_rows *ret, const struct dusk_profile *p, const uint32_t *rank)
{
	int err;

	*ret = (struct flame_rows){.bucket_ns = time_bucket_window_ns(p)};
	if (ret->bucket_ns < 1000)
		ret->bucket_ns = 1000;
	while (count_buckets(p, ret->bucket_ns) > BUCKETS_MAX)
		ret->bucket_ns = next_step(ret->bucket_ns);
	err = make_rows(ret, p, rank);
	while (!err && ret->v.nr > ROWS_MAX && may_be_longer(ret, p)) {
		ret->bucket_ns = next_step(ret->bucket_ns);
		err = make_rows(ret, p, rank);
	}
	if (ret->v.nr)
		qsort(ret->v.v, ret->v.nr, sizeof(*ret->v.v), compare_rows);
	keys_done(&ret->known);
	return err;
}

void flame_rows_done(struct flame_rows *r)
{
	keys_done(&r->known);
	vec_done(&r->v);
}
