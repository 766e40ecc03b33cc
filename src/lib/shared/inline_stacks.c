/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/shared/inline_stacks.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/profile/stackset.h"

struct answer {
	u32 stack, outcome;
};

/* A cookie with the same stack as another cookie, of which the stack has not come yet. */
struct same {
	u64 cookie, same_as;
};

/* A sum. While its stack has not come, @cookie says which one it waits for. */
struct row {
	u64 key, cookie, amount, count;
	u32 consumer;
	struct answer answer;
};

struct inline_stacks {
	struct stackset stacks;
	u32 first; /* the number of the first stack of @stacks */
	struct vec(struct answer) answers;
	struct map by_cookie; /* -> index in @answers */
	struct vec(struct same) same;
	struct vec(struct row) rows, waiting;
	struct map by_hash; /* hash of a row -> index in @rows; on a collision, the next free key is taken */
};

struct inline_stacks *inline_new(void)
{
	return calloc(1, sizeof(struct inline_stacks));
}

void inline_free(struct inline_stacks *w)
{
	if (!w)
		return;
	inline_forget(w);
	vec_done(&w->rows);
	vec_done(&w->waiting);
	map_done(&w->by_hash);
	free(w);
}

void inline_forget(struct inline_stacks *w)
{
	w->first += w->stacks.stacks.nr;
	stackset_done(&w->stacks);
	vec_done(&w->answers);
	map_done(&w->by_cookie);
	vec_done(&w->same);
}

const u64 *inline_frames(const struct inline_stacks *w, u32 number, u32 *nr)
{
	u32 i = (number & ~INLINE_STACK) - w->first;

	if (i >= w->stacks.stacks.nr)
		return NULL;
	*nr = w->stacks.stacks.v[i].nr;
	return (const u64 *)w->stacks.stacks.v[i].frame;
}

bool inline_find(const struct inline_stacks *w, u64 cookie, u32 *stack, u32 *outcome)
{
	const uint32_t *i = map_find(&w->by_cookie, cookie);

	if (!i)
		return false;
	*stack = w->answers.v[*i].stack;
	*outcome = w->answers.v[*i].outcome;
	return true;
}

size_t inline_nr(const struct inline_stacks *w)
{
	return w->answers.nr + w->same.nr;
}

static u64 hash_of(const struct row *r)
{
	return hash64(hash64(r->key) ^ ((u64)r->answer.outcome << 32 | r->consumer) ^ (u64)r->answer.stack << 36);
}

/* Add @r, its stack being known, to the sum of its consumer, key and stack. */
static int add(struct inline_stacks *w, const struct row *r)
{
	if (vec_reserve(&w->rows, 1)) /* first: the map must not lead to a row that is not there */
		return -ENOMEM;
	for (u64 hash = hash_of(r);; hash++) {
		bool fresh;
		uint32_t *i = map_at(&w->by_hash, hash, &fresh);
		struct row *known;

		if (!i)
			return -ENOMEM;
		if (fresh) {
			*i = w->rows.nr;
			return vec_push(&w->rows, *r);
		}
		known = &w->rows.v[*i];
		if (known->key != r->key || known->consumer != r->consumer || known->answer.stack != r->answer.stack ||
		    known->answer.outcome != r->answer.outcome)
			continue;
		known->amount += r->amount;
		known->count += r->count;
		return 0;
	}
}

/* Record that @cookie has answer @a, and settle the sums that wait for it. */
static int answer(struct inline_stacks *w, u64 cookie, struct answer a)
{
	size_t kept = 0;
	bool fresh;
	uint32_t *i = vec_reserve(&w->answers, 1) ? NULL : map_at(&w->by_cookie, cookie, &fresh);

	if (!i)
		return -ENOMEM;
	*i = w->answers.nr;
	(void)vec_push(&w->answers, a);
	for (size_t k = 0; k < w->waiting.nr; k++) {
		struct row *r = &w->waiting.v[k];

		r->answer = r->cookie == cookie ? a : r->answer;
		if (r->cookie != cookie || add(w, r))
			w->waiting.v[kept++] = *r;
	}
	w->waiting.nr = kept;
	return 0;
}

/* Do the same for the cookies that have the same stack as @cookie. */
static int answer_same(struct inline_stacks *w, u64 cookie, struct answer a)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < w->same.nr; i++) {
		if (w->same.v[i].same_as == cookie)
			err = err ?: answer(w, w->same.v[i].cookie, a);
		else
			w->same.v[kept++] = w->same.v[i];
	}
	w->same.nr = kept;
	return err;
}

int inline_take_stack(struct inline_stacks *w, const struct event_stack *e)
{
	struct same same = {e->cookie, e->same_as};
	struct answer a = {.outcome = e->outcome};
	int err;

	if (e->same_as)
		return inline_find(w, e->same_as, &a.stack, &a.outcome) ? answer(w, e->cookie, a)
									: vec_push(&w->same, same);
	if (!e->nr)
		return 0;
	err = stackset_keep(&w->stacks, (const uint64_t *)e->frame, e->nr, &a.stack);
	if (err)
		return err;
	a.stack = INLINE_STACK | (w->first + a.stack);
	return answer(w, e->cookie, a) ?: answer_same(w, e->cookie, a);
}

int inline_take_sum(struct inline_stacks *w, u32 consumer, const struct event_sum *e)
{
	struct row r = {
		.key = e->key.key,
		.cookie = e->key.cookie,
		.amount = e->sum.amount,
		.count = e->sum.count,
		.consumer = consumer,
	};

	if (inline_find(w, r.cookie, &r.answer.stack, &r.answer.outcome))
		return add(w, &r);
	r.answer.outcome = e->key.outcome;
	return vec_push(&w->waiting, r);
}

static int tell(const struct row *r, bool unresolved, int (*fn)(void *ctx, const struct dusk_sum *c), void *ctx)
{
	struct dusk_sum c = {
		.key = r->key,
		.amount = r->amount,
		.count = r->count,
		.stack = r->answer.stack,
		.outcome = r->answer.outcome,
		.unresolved = unresolved,
	};

	return fn(ctx, &c);
}

int inline_sums(const struct inline_stacks *w, u32 consumer, int (*fn)(void *ctx, const struct dusk_sum *c), void *ctx)
{
	int ret = 0;

	for (size_t i = 0; i < w->rows.nr && !ret; i++)
		if (w->rows.v[i].consumer == consumer && w->rows.v[i].count)
			ret = tell(&w->rows.v[i], false, fn, ctx);
	for (size_t i = 0; i < w->waiting.nr && !ret; i++)
		if (w->waiting.v[i].consumer == consumer)
			ret = tell(&w->waiting.v[i], true, fn, ctx);
	return ret;
}

void inline_drop(struct inline_stacks *w, u32 consumer)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->rows.nr; i++)
		if (w->rows.v[i].consumer == consumer)
			w->rows.v[i].amount = w->rows.v[i].count = 0;
	for (size_t i = 0; i < w->waiting.nr; i++)
		if (w->waiting.v[i].consumer != consumer)
			w->waiting.v[kept++] = w->waiting.v[i];
	w->waiting.nr = kept;
}
