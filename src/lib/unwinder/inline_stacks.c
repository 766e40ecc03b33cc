/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/inline_stacks.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/stacks/stackset.h"

/* A sum, and its stack. While that has not come, the outcome says why it is not known. */
struct row {
	u64 key, amount, count;
	u32 consumer;
	struct resolved stack;
};

struct inline_stacks {
	struct stackset stacks;
	u32 first;	       /* the number of the first stack of @stacks */
	struct stitch *stitch; /* of rows that wait for their stack */
	struct vec(struct row) rows;
	struct map by_hash; /* hash of a row -> index in @rows; on a collision, the next free key is taken */
};

struct inline_stacks *inline_new(void)
{
	struct inline_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->stitch = stitch_new(sizeof(struct row), 0);
	if (!s->stitch) {
		free(s);
		return NULL;
	}
	return s;
}

void inline_free(struct inline_stacks *s)
{
	if (!s)
		return;
	inline_forget(s);
	stitch_free(s->stitch);
	vec_done(&s->rows);
	map_done(&s->by_hash);
	free(s);
}

void inline_forget(struct inline_stacks *s)
{
	s->first += s->stacks.stacks.nr;
	stackset_done(&s->stacks);
	stitch_forget(s->stitch);
}

const u64 *inline_frames(const struct inline_stacks *s, u32 number, u32 *nr)
{
	u32 i = (number & ~INLINE_STACK) - s->first;

	if (i >= s->stacks.stacks.nr)
		return NULL;
	*nr = s->stacks.stacks.v[i].nr;
	return (const u64 *)s->stacks.stacks.v[i].frame;
}

bool inline_find(const struct inline_stacks *s, u64 cookie, struct resolved *ret)
{
	return stitch_find(s->stitch, cookie, ret);
}

size_t inline_nr(const struct inline_stacks *s)
{
	return stitch_nr_cookies(s->stitch);
}

static u64 hash_of(const struct row *r)
{
	return hash64(hash64(r->key) ^ ((u64)r->stack.outcome << 32 | r->consumer) ^ (u64)r->stack.stack << 36);
}

/* Add @r, its stack being known, to the sum of its consumer, key and stack. */
static int add(struct inline_stacks *s, const struct row *r)
{
	if (vec_reserve(&s->rows, 1)) /* first: the map must not lead to a row that is not there */
		return -ENOMEM;
	for (u64 hash = hash_of(r);; hash++) {
		bool fresh;
		uint32_t *i = map_at(&s->by_hash, hash, &fresh);
		struct row *known;

		if (!i)
			return -ENOMEM;
		if (fresh) {
			*i = s->rows.nr;
			return vec_push(&s->rows, *r);
		}
		known = &s->rows.v[*i];
		if (known->key != r->key || known->consumer != r->consumer || known->stack.stack != r->stack.stack ||
		    known->stack.outcome != r->stack.outcome)
			continue;
		known->amount += r->amount;
		known->count += r->count;
		return 0;
	}
}

static int settle(void *ctx, const void *item, const struct resolved *r)
{
	struct row row = *(const struct row *)item;

	row.stack = *r;
	return add(ctx, &row);
}

int inline_take_stack(struct inline_stacks *s, const struct event_stack *e)
{
	struct resolved r = {.outcome = e->outcome};
	int err;

	if (e->same_as)
		return stitch_same(s->stitch, e->cookie, e->same_as, settle, s);
	if (!e->nr)
		return 0;
	err = stackset_keep(&s->stacks, (const uint64_t *)e->frame, e->nr, &r.stack);
	if (err)
		return err;
	r.stack = INLINE_STACK | (s->first + r.stack);
	return stitch_stack(s->stitch, e->cookie, r, settle, s);
}

int inline_take_sum(struct inline_stacks *s, u32 consumer, const struct event_sum *e)
{
	struct row r = {
		.key = e->key.key,
		.amount = e->sum.amount,
		.count = e->sum.count,
		.consumer = consumer,
		.stack = {.outcome = e->key.outcome},
	};
	int ret = stitch_item(s->stitch, e->key.cookie, &r, &r.stack);

	return ret > 0 ? add(s, &r) : ret;
}

static struct dusk_sum sum_of(const struct row *r, bool unresolved)
{
	return (struct dusk_sum){
		.key = r->key,
		.amount = r->amount,
		.count = r->count,
		.stack = r->stack.stack,
		.outcome = r->stack.outcome,
		.unresolved = unresolved,
	};
}

struct listing {
	u32 consumer;
	int (*fn)(void *ctx, const struct dusk_sum *c);
	void *ctx;
};

static int list_waiting(void *ctx, u64 cookie, const void *item)
{
	const struct listing *l = ctx;
	const struct row *r = item;
	struct dusk_sum c = sum_of(r, true);

	return r->consumer == l->consumer ? l->fn(l->ctx, &c) : 0;
}

int inline_sums(const struct inline_stacks *s, u32 consumer, int (*fn)(void *ctx, const struct dusk_sum *c), void *ctx)
{
	struct listing l = {consumer, fn, ctx};
	int ret = 0;

	for (size_t i = 0; i < s->rows.nr && !ret; i++) {
		const struct row *r = &s->rows.v[i];
		struct dusk_sum c = sum_of(r, false);

		if (r->consumer == consumer && r->count)
			ret = fn(ctx, &c);
	}
	return ret ? ret : stitch_each(s->stitch, list_waiting, &l);
}

static bool is_of(void *consumer, u64 cookie, const void *item)
{
	return ((const struct row *)item)->consumer == *(u32 *)consumer;
}

void inline_drop(struct inline_stacks *s, u32 consumer)
{
	for (size_t i = 0; i < s->rows.nr; i++)
		if (s->rows.v[i].consumer == consumer)
			s->rows.v[i].amount = s->rows.v[i].count = 0;
	stitch_remove(s->stitch, is_of, &consumer);
}
