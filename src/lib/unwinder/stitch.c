/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/stitch.h"
#include <stdlib.h>
#include "base/map.h"
#include "base/vec.h"

#define TIDY 1024 /* keys that the map may have before it is rebuilt */

/* An item that waits, or a free entry. The item follows. */
struct entry {
	u64 cookie; /* 0: free */
	u32 next;   /* the next entry that waits for the same cookie, or is free; index + 1 */
	u32 pad;
	unsigned char item[];
};

/* Stacks by cookie. */
struct kept {
	struct map by_cookie; /* -> index */
	struct vec(struct resolved) stacks;
};

/* A cookie with the same stack as another cookie, of which the stack has not come yet. */
struct same {
	u64 cookie, same_as;
};

/*
 * Entries are reused, but keys are not removed from the map one by one: when few items wait, the map is rebuilt from
 * those that do.
 */
struct stitch {
	size_t item_bytes, entry_bytes, recent, nr_waiting;
	struct entry *entries;
	size_t nr, room;  /* entries */
	u32 free;	  /* index + 1 */
	struct map first; /* cookie -> index + 1 of the first that waits; 0: none any more */
	struct vec(struct same) same;
	struct kept now, before; /* once @now has @recent stacks, it becomes @before */
};

struct stitch *stitch_new(size_t item_bytes, size_t recent)
{
	struct stitch *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct stitch){
			.item_bytes = item_bytes,
			.entry_bytes = sizeof(struct entry) + (item_bytes + 7) / 8 * 8,
			.recent = recent,
		};
	return s;
}

static void kept_done(struct kept *k)
{
	map_done(&k->by_cookie);
	vec_done(&k->stacks);
}

void stitch_forget(struct stitch *s)
{
	kept_done(&s->now);
	kept_done(&s->before);
	vec_done(&s->same);
}

void stitch_free(struct stitch *s)
{
	if (!s)
		return;
	stitch_forget(s);
	map_done(&s->first);
	free(s->entries);
	free(s);
}

/* Return the entry of index @i - 1. */
static struct entry *entry_of(const struct stitch *s, u32 i)
{
	return (struct entry *)((char *)s->entries + (size_t)(i - 1) * s->entry_bytes);
}

static bool kept_find(const struct kept *k, u64 cookie, struct resolved *ret)
{
	const uint32_t *i = map_find(&k->by_cookie, cookie);

	if (i)
		*ret = k->stacks.v[*i];
	return i;
}

bool stitch_find(const struct stitch *s, u64 cookie, struct resolved *ret)
{
	return kept_find(&s->now, cookie, ret) || kept_find(&s->before, cookie, ret);
}

static int keep(struct stitch *s, u64 cookie, struct resolved r)
{
	uint32_t *i;
	bool fresh;

	if (s->recent && s->now.stacks.nr >= s->recent) {
		struct kept oldest = s->before;

		s->before = s->now;
		s->now = oldest;
		map_clear(&s->now.by_cookie);
		s->now.stacks.nr = 0;
	}
	if (vec_reserve(&s->now.stacks, 1)) /* first: the map must not lead to a stack that is not there */
		return -ENOMEM;
	i = map_at(&s->now.by_cookie, cookie, &fresh);
	if (!i)
		return -ENOMEM;
	if (!fresh) {
		s->now.stacks.v[*i] = r;
		return 0;
	}
	*i = s->now.stacks.nr;
	return vec_push(&s->now.stacks, r);
}

/* Forget the cookies that no item waits for any more. */
static int tidy(struct stitch *s)
{
	struct map fresh = {0};

	if (s->first.nr < TIDY || s->first.nr < 4 * s->nr_waiting)
		return 0;
	for (u32 i = 0; i <= s->first.mask; i++) {
		struct map_slot *slot = &s->first.slots[i];
		uint32_t *value;
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

static u32 new_entry(struct stitch *s)
{
	u32 i = s->free;

	if (i) {
		s->free = entry_of(s, i)->next;
		return i;
	}
	if (s->nr == s->room && vec_grow((void **)&s->entries, &s->room, s->entry_bytes))
		return 0;
	return ++s->nr;
}

static void free_entry(struct stitch *s, u32 i)
{
	struct entry *e = entry_of(s, i);

	e->cookie = 0;
	e->next = s->free;
	s->free = i;
	s->nr_waiting--;
}

int stitch_item(struct stitch *s, u64 cookie, const void *item, struct resolved *ret)
{
	struct entry *e;
	uint32_t *first;
	bool fresh;
	u32 i;

	if (stitch_find(s, cookie, ret))
		return 1;
	if (tidy(s))
		return -ENOMEM;
	first = map_at(&s->first, cookie, &fresh);
	i = first ? new_entry(s) : 0;
	if (!i)
		return -ENOMEM;
	e = entry_of(s, i);
	e->cookie = cookie;
	e->next = *first;
	memcpy(e->item, item, s->item_bytes);
	*first = i;
	s->nr_waiting++;
	return 0;
}

/* Keep the stack of @cookie, and call @fn for what waits for it. */
static int resolve(struct stitch *s, u64 cookie, struct resolved r, stitch_fn *fn, void *ctx)
{
	uint32_t *first = map_find(&s->first, cookie), i = first ? *first : 0, next, left = 0;
	int err = keep(s, cookie, r);

	for (; i; i = next) {
		struct entry *e = entry_of(s, i);
		int ret = fn(ctx, e->item, &r);

		next = e->next;
		err = err ?: ret;
		if (!ret) {
			free_entry(s, i);
			continue;
		}
		e->next = left;
		left = i;
	}
	if (first)
		*first = left;
	return err;
}

int stitch_stack(struct stitch *s, u64 cookie, struct resolved r, stitch_fn *fn, void *ctx)
{
	int err = resolve(s, cookie, r, fn, ctx), ret;
	size_t left = 0;

	for (size_t i = 0; i < s->same.nr; i++) {
		if (s->same.v[i].same_as != cookie) {
			s->same.v[left++] = s->same.v[i];
			continue;
		}
		ret = resolve(s, s->same.v[i].cookie, r, fn, ctx);
		err = err ?: ret;
	}
	s->same.nr = left;
	return err;
}

int stitch_same(struct stitch *s, u64 cookie, u64 same_as, stitch_fn *fn, void *ctx)
{
	struct same same = {cookie, same_as};
	struct resolved r;

	return stitch_find(s, same_as, &r) ? stitch_stack(s, cookie, r, fn, ctx) : vec_push(&s->same, same);
}

int stitch_each(const struct stitch *s, int (*fn)(void *ctx, u64 cookie, const void *item), void *ctx)
{
	int ret = 0;

	for (u32 i = 1; i <= s->nr && !ret; i++) {
		const struct entry *e = entry_of(s, i);

		if (e->cookie)
			ret = fn(ctx, e->cookie, e->item);
	}
	return ret;
}

void stitch_remove(struct stitch *s, bool (*fn)(void *ctx, u64 cookie, const void *item), void *ctx)
{
	for (u32 i = 0; s->first.slots && i <= s->first.mask; i++)
		s->first.slots[i].value = 0;
	s->free = 0;
	s->nr_waiting = 0;
	for (u32 i = 1; i <= s->nr; i++) { /* each goes to the list of its cookie, or of free entries */
		struct entry *e = entry_of(s, i);
		uint32_t *list = &s->free;

		if (e->cookie && fn(ctx, e->cookie, e->item))
			e->cookie = 0;
		if (e->cookie) {
			list = map_find(&s->first, e->cookie);
			s->nr_waiting++;
		}
		e->next = *list;
		*list = i;
	}
}

size_t stitch_nr_waiting(const struct stitch *s)
{
	return s->nr_waiting;
}

size_t stitch_nr_cookies(const struct stitch *s)
{
	return s->now.stacks.nr + s->before.stacks.nr + s->same.nr;
}
