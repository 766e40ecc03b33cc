/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/stitch.h"
#include <stdlib.h>
#include "base/map.h"
#include "base/vec.h"

#define REMEMBERED 65536 /* recent stacks, a power of two */

struct entry {
	u64 cookie; /* 0: free */
	struct waiting waiting;
	u32 next; /* the next entry that waits for the same cookie, or is free; index + 1 */
};

struct resolved {
	u64 cookie;
	u32 node;
	u8 outcome;
};

/* A cookie with the same stack as another cookie, of which the stack has not come yet. */
struct same {
	u64 cookie, same_as;
};

/*
 * Entries are reused, but keys are not removed from the map one by one: when few samples wait, the map is rebuilt from
 * those that do.
 */
struct stitch {
	struct vec(struct entry) entries;
	u32 free; /* index + 1 */
	u64 nr_waiting;
	struct map first; /* cookie -> index + 1 of the first that waits; 0: none any more */
	struct vec(struct same) same;
	struct resolved resolved[REMEMBERED];
};

struct stitch *stitch_new(void)
{
	return calloc(1, sizeof(struct stitch));
}

void stitch_free(struct stitch *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->entries.nr; i++)
		if (s->entries.v[i].cookie)
			free(s->entries.v[i].waiting.fields);
	vec_done(&s->entries);
	vec_done(&s->same);
	map_done(&s->first);
	free(s);
}

static struct resolved *resolved_of(struct stitch *s, u64 cookie)
{
	return &s->resolved[hash64(cookie) & (REMEMBERED - 1)];
}

static u32 new_entry(struct stitch *s)
{
	u32 i = s->free;

	if (i) {
		s->free = s->entries.v[i - 1].next;
		return i;
	}
	return vec_add(&s->entries) ? s->entries.nr : 0;
}

/* Forget the cookies that no sample waits for any more. */
static int tidy(struct stitch *s)
{
	struct map fresh = {0};

	if (s->first.nr < 1024 || s->first.nr < 4 * s->nr_waiting)
		return 0;
	for (u32 i = 0; s->first.slots && i <= s->first.mask; i++) {
		struct map_slot *slot = &s->first.slots[i];
		u32 *value;
		bool added;

		if (!slot->used || !slot->value)
			continue;
		value = map_at(&fresh, slot->key, &added);
		if (!value) {
			map_done(&fresh);
			return -ENOMEM;
		}
		*value = slot->value;
	}
	map_done(&s->first);
	s->first = fresh;
	return 0;
}

int stitch_sample(struct stitch *s, u64 cookie, const struct waiting *w, u32 *node, u8 *outcome)
{
	struct resolved *r = resolved_of(s, cookie);
	struct entry *e;
	u32 *first, i;
	bool added;

	if (r->cookie == cookie) {
		*node = r->node;
		*outcome = r->outcome;
		return 1;
	}
	if (tidy(s))
		return -ENOMEM;
	i = new_entry(s);
	first = i ? map_at(&s->first, cookie, &added) : NULL;
	if (!first)
		return -ENOMEM;
	e = &s->entries.v[i - 1];
	*e = (struct entry){.cookie = cookie, .waiting = *w, .next = *first};
	*first = i;
	s->nr_waiting++;
	return 0;
}

static void serve(struct stitch *s, u64 cookie, u32 node, u8 outcome, void (*fn)(void *ctx, const struct waiting *w),
		  void *ctx)
{
	u32 *first = map_find(&s->first, cookie), i = first ? *first : 0, next;

	*resolved_of(s, cookie) = (struct resolved){cookie, node, outcome};
	if (first)
		*first = 0;
	for (; i; i = next) {
		struct entry *e = &s->entries.v[i - 1];

		next = e->next;
		fn(ctx, &e->waiting);
		e->cookie = 0;
		e->next = s->free;
		s->free = i;
		s->nr_waiting--;
	}
}

void stitch_stack(struct stitch *s, u64 cookie, u32 node, u8 outcome, void (*fn)(void *ctx, const struct waiting *w),
		  void *ctx)
{
	size_t kept = 0;

	serve(s, cookie, node, outcome, fn, ctx);
	for (size_t i = 0; i < s->same.nr; i++) {
		if (s->same.v[i].same_as == cookie)
			serve(s, s->same.v[i].cookie, node, outcome, fn, ctx);
		else
			s->same.v[kept++] = s->same.v[i];
	}
	s->same.nr = kept;
}

int stitch_same(struct stitch *s, u64 cookie, u64 same_as, u32 *node, u8 *outcome)
{
	const struct resolved *r = resolved_of(s, same_as);
	struct same same = {cookie, same_as};

	if (r->cookie != same_as)
		return vec_push(&s->same, same);
	*node = r->node;
	*outcome = r->outcome;
	return 1;
}

u64 stitch_nr_waiting(const struct stitch *s)
{
	return s->nr_waiting;
}

void stitch_drain(struct stitch *s, void (*fn)(void *ctx, u64 cookie, const struct waiting *w), void *ctx)
{
	for (size_t i = 0; i < s->entries.nr; i++)
		if (s->entries.v[i].cookie)
			fn(ctx, s->entries.v[i].cookie, &s->entries.v[i].waiting);
	s->entries.nr = 0;
	s->free = 0;
	s->nr_waiting = 0;
	map_done(&s->first);
}
