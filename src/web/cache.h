/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Answers that were given are given again while the store is as it was: to one who reloads a page, and to others who look at the same.
 *
 * An answer belongs to the command line that makes it and to the state of the store before that began: names, sizes and times of
 * its files. Of a time that moves with the clock, such as -1h, it holds for ten seconds, a window; of another time of a store on a server, to which
 * windows may still come, for five minutes.
 * Answers that were not asked for go when there are too many.
 */
#pragma once
#include <stdbool.h>
#include <time.h>
#include "base/vec.h"
#include "web/run.h"

#define CACHE_MAX_BYTES (64 << 20)
#define CACHE_MAX_ANSWER (8 << 20) /* larger ones are not kept */
#define CACHE_HOLDS_S 10
#define CACHE_HOLDS_FIXED_S 300

struct cache;

struct cache_entry {
	char *key; /* NULL: it is not to be kept */
	struct vec(char) bytes;
	char said[RUN_SAID_BYTES]; /* beside it */
};

/* Returns NULL when memory is short. */
struct cache *cache_new(void);
void cache_free(struct cache *c);

/*
 * Is the answer there of @words, as route_words() makes them of @store, at the time @now_s? Then @ret, which was zeroed, is a copy; else it gets its key, and
 * an answer can be made in it. Free it with cache_entry_done() in any case. Any thread may do these.
 */
bool cache_find(struct cache *c, const char *store, const char *const *words, time_t now_s, struct cache_entry *ret);
void cache_entry_done(struct cache_entry *e);

/* Add a piece to an answer. One that becomes too large is not to be kept. */
void cache_entry_add(struct cache_entry *e, const char *bytes, size_t nr);

/* The answer in @e is whole: keep it, unless it is not to be kept. @e is empty then. */
void cache_keep(struct cache *c, struct cache_entry *e);
