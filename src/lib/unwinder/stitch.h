/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Join items (samples, sums) with their user stack, by cookie.
 *
 * Item and stack may come in either order: stacks that come first are kept. A cookie is never used again, so no join can
 * be wrong; if a stack is lost, its items wait to the end.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "abi/types.h"

struct stitch;

/* What a cookie was resolved to: a stack, as the caller numbers stacks, and its outcome. */
struct resolved {
	u32 stack, outcome;
};

/* Use @item, of which the stack is @r. Returns 0, or a negative errno: the item goes on waiting. */
typedef int stitch_fn(void *ctx, const void *item, const struct resolved *r);

/*
 * Return an empty stitch for items of @item_bytes, or NULL when memory is short. @recent: how many stacks are kept at
 * least, and at most twice as many; 0: all, until stitch_forget().
 */
struct stitch *stitch_new(size_t item_bytes, size_t recent);
void stitch_free(struct stitch *s);

/*
 * Let a copy of @item wait for the stack of @cookie. Returns 1 if that has come already: then *@ret is filled, and @item
 * is not kept; 0: it waits; -ENOMEM.
 */
int stitch_item(struct stitch *s, u64 cookie, const void *item, struct resolved *ret);

/*
 * The stack of @cookie is @r: call @fn for each item that waits for it. Returns 0, -ENOMEM, or the first error of @fn.
 */
int stitch_stack(struct stitch *s, u64 cookie, struct resolved r, stitch_fn *fn, void *ctx);

/* The stack of @cookie is that of @same_as, which has come, or will. Calls @fn and returns as stitch_stack() does. */
int stitch_same(struct stitch *s, u64 cookie, u64 same_as, stitch_fn *fn, void *ctx);

/* Find the stack of @cookie. Returns false if it has not come. */
bool stitch_find(const struct stitch *s, u64 cookie, struct resolved *ret);

/* Call @fn for each item that waits, until it returns anything but 0, which is returned. */
int stitch_each(const struct stitch *s, int (*fn)(void *ctx, u64 cookie, const void *item), void *ctx);

/* End the waiting of all items for which @fn returns true. */
void stitch_remove(struct stitch *s, bool (*fn)(void *ctx, u64 cookie, const void *item), void *ctx);

/* Forget all stacks; the items stay. */
void stitch_forget(struct stitch *s);

/* Return how many items wait, and how many cookies are kept. */
size_t stitch_nr_waiting(const struct stitch *s);
size_t stitch_nr_cookies(const struct stitch *s);
